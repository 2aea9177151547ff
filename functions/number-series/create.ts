import { endpoint } from '#shared/invoicing/declarations.ts';
import { NumberSeries } from '#shared/invoicing/number-series/resource.ts';
import { createNumberSeries } from '#shared/invoicing/number-series/rules.ts';
import { created } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Numbers and issued invoices. */
export default endpoint({
  route: 'POST /number-series',
  summary: 'Create a number series',
  description:
    'Creates a series of numbers without gaps. An invoice that is opened with its `series_id`, or a credit note that names ' +
    'it, gets the next number.',
  scope: 'number-series:write',
  idempotency: 'optional',
  uses: { numberSeries: ['insert'] },
  body: NumberSeries.create,
  returns: { 201: NumberSeries },

  handle({ body, now, newId }, { numberSeries }) {
    const series = createNumberSeries(body, { id: newId(), at: now });
    return created(series, numberSeries.insert(series));
  },
});
