import { endpoint } from '#shared/invoicing/declarations.ts';
import { NumberSeries } from '#shared/invoicing/number-series/resource.ts';
import { patchNumberSeries } from '#shared/invoicing/number-series/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Numbers and issued invoices. */
export default endpoint({
  route: 'PATCH /number-series/{number_series_id}',
  summary: 'Update a number series',
  description:
    'Changes only the fields that the body contains (JSON merge patch, RFC 7396). Once the series has assigned a number, only ' +
    '`status` can change.',
  scope: 'number-series:write',
  idempotency: 'optional',
  uses: { numberSeries: ['get', 'replace'] },
  body: NumberSeries.patch,
  ifMatch: NumberSeries,
  returns: { 200: NumberSeries },
  refuses: ['series-in-use'],

  async handle({ path, body, checkPreconditions, now }, { numberSeries }) {
    const before = checkPreconditions(await numberSeries.get(path.number_series_id));
    const after = patchNumberSeries(before, body, now);
    return ok(after, numberSeries.replace(before, after));
  },
});
