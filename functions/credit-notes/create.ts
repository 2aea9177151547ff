import { CreditNote } from '#shared/invoicing/credit-notes/resource.ts';
import { createCreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { created } from '#shared/platform/http/reply.ts';
import { waitForAll } from '#shared/platform/jobs/turns.ts';

/** CONTRACT §4 Payment and refund rules. */
export default endpoint({
  route: 'POST /credit-notes',
  summary: 'Create a credit note',
  description:
    'Credits an open or paid invoice, in part or in full: less is due, or more can be refunded. An open invoice of which ' +
    'nothing is due afterwards becomes `paid`, or `canceled` if it has no payments. With a `series_id`, the credit note gets ' +
    'the next number of the series.',
  scope: 'credit-notes:write',
  idempotency: 'required',
  uses: {
    invoices: ['getReferenced', 'replace'],
    numberSeries: ['getReferenced', 'replace'],
    customers: ['find', 'check'],
    creditNotes: ['insert'],
  },
  body: CreditNote.create,
  returns: { 201: CreditNote },
  refuses: ['invoice-not-creditable', 'amount-exceeds-creditable', 'series-closed', 'issue-date-out-of-order'],

  async handle({ body, now, newId }, { invoices, numberSeries, customers, creditNotes }) {
    const [before, series] = await waitForAll([
      invoices.getReferenced('invoice_id', body.invoice_id),
      body.series_id === null ? undefined : numberSeries.getReferenced('series_id', body.series_id),
    ]);
    const customer_id = series && before.bill_to === null ? before.customer_id : null;
    // A customer that is gone is no longer the customer of the invoice, whose version has changed.
    const customer = customer_id === null ? undefined : (await customers.find([customer_id])).get(customer_id);
    const after = createCreditNote(before, body, { series, customer }, { id: newId(), at: now });
    return created(after.creditNote, [
      ...creditNotes.insert(after.creditNote),
      ...invoices.replace(before, after.invoice),
      ...(series && after.series ? numberSeries.replace(series, after.series) : []),
      ...(customer ? customers.check(customer) : []),
    ]);
  },
});
