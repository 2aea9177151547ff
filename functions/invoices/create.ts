import { endpoint } from '#shared/invoicing/declarations.ts';
import { ISSUE_USES, issueInvoice, readReferences } from '#shared/invoicing/invoices/issue.ts';
import { createInvoiceWithItems } from '#shared/invoicing/invoices/items.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /invoices',
  summary: 'Create an invoice',
  description:
    'Creates an invoice as `draft` or `open`, with up to 90 `items` in the same transaction. Its total is then their sum. ' +
    'The response has no `items`: `GET …?expand=items` includes them. An `open` invoice with a `series_id` is issued: it gets ' +
    'its number.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { ...ISSUE_USES, invoices: ['insert'], invoiceItems: ['insert'] },
  body: Invoice.create,
  returns: { 201: Invoice },
  refuses: ['too-many-tax-rates', 'series-closed', 'issue-date-out-of-order'],

  async handle({ body, now, newId }, stores) {
    const creation = { id: newId(body.items.length), at: now };
    const { invoice: requested, items } = createInvoiceWithItems(body, creation);
    const references = await readReferences(undefined, requested, stores);
    const { invoice, writes } = issueInvoice(undefined, requested, references, now, stores);
    const itemWrites = items.flatMap((item) => stores.invoiceItems.insert(item));
    return created(invoice, [...stores.invoices.insert(invoice), ...writes, ...itemWrites]);
  },
});
