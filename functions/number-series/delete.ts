import { endpoint } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { requireUnused } from '#shared/invoicing/number-series/rules.ts';
import { noContent } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Numbers and issued invoices. */
export default endpoint({
  route: 'DELETE /number-series/{number_series_id}',
  summary: 'Delete a number series',
  description:
    'Deletes a number series that has assigned no number. A draft that names it cannot be opened until it names another.',
  scope: 'number-series:write',
  uses: { numberSeries: ['getForRemoval', 'remove'] },
  ifMatch: resources.numberSeries,
  returns: { 204: null },
  refuses: ['series-in-use'],

  async handle({ path, checkPreconditions }, { numberSeries }) {
    const series = checkPreconditions(await numberSeries.getForRemoval(path.number_series_id));
    requireUnused(series);
    return noContent(numberSeries.remove(series));
  },
});
