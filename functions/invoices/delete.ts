import { checkDeletable } from '#shared/domain/invoice.ts';
import { withoutItems } from '#shared/domain/invoice-item.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { again, noContent } from '#shared/http/reply.ts';

/** A transaction has room for 100 writes: these items, the invoice and its customer. */
const ITEMS_AT_ONCE = 98;

/** Deletes an invoice without payments, and its items (§4 DELETE; CONTRACT §4 Invoice rules). */
export default endpoint({
  route: 'DELETE /invoices/{invoice_id}',
  scope: 'invoices:write',
  uses: { invoices: ['get', 'replace', 'remove'], customers: ['count'], items: ['find', 'discard'] },
  returns: { 204: null },
  refuses: ['invoice-has-payments', { code: 'invoice-closed', status: 409 }],

  async handle({ path, match, now }, { invoices, customers, items }) {
    const invoice = match(await invoices.get(path.invoice_id));
    checkDeletable(invoice);
    const ids = invoice.item_ids.slice(0, ITEMS_AT_ONCE);
    const discarded = ids.flatMap((id) => items.discard(id));
    if (ids.length < invoice.item_ids.length) {
      const rest = withoutItems(invoice, [...(await items.find(ids)).values()], now);
      return again([...discarded, ...invoices.replace(invoice, rest)]);
    }
    const named = customers.count('invoice_count', { from: invoice.customer_id, to: null });
    return noContent([...invoices.remove(invoice), ...named, ...discarded]);
  },
});
