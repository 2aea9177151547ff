import { createCustomerV1, createInvoiceV1, createPaymentV1, listInvoicesV1 } from '../output/orval.ts';
import { AMOUNT, idOf, report } from './report.ts';

const customer = await createCustomerV1({ name: 'Ada' });
if (customer.status !== 201) throw new Error(JSON.stringify(customer.data));
const invoice = await createInvoiceV1({ customer_id: customer.data.id, total_cents: AMOUNT });
if (invoice.status !== 201) throw new Error(JSON.stringify(invoice.data));
const payment = await createPaymentV1({ invoice_id: idOf(invoice.data), amount_cents: AMOUNT }, undefined, {
  headers: { 'Idempotency-Key': crypto.randomUUID() },
});
if (payment.status !== 201) throw new Error(JSON.stringify(payment.data));
const page = await listInvoicesV1({ fields: ['id', 'status', 'total_cents'], customer_id: idOf(customer.data) });
if (page.status !== 200) throw new Error(JSON.stringify(page.data));
const failed = await createInvoiceV1({ currency: 'usd' });
if (failed.status === 201) throw new Error('created with an invalid currency');

report({
  customer: customer.data,
  invoice: invoice.data,
  rows: page.data.data,
  next: page.data.next_cursor,
  error: failed.data,
});
