import { client } from '../output/hey-api/client.gen.ts';
import { createCustomerV1, createInvoiceV1, createPaymentV1, listInvoicesV1 } from '../output/hey-api/index.ts';
import { AMOUNT, API, idOf, report, TOKEN } from './report.ts';

client.setConfig({ baseUrl: API, auth: TOKEN });
const throwOnError = true;

const { data: customer } = await createCustomerV1({ body: { name: 'Ada' }, throwOnError });
const body = { customer_id: customer.id, total_cents: AMOUNT };
const { data: invoice } = await createInvoiceV1({ body, throwOnError });
await createPaymentV1({
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: { invoice_id: idOf(invoice), amount_cents: AMOUNT },
  throwOnError,
});
const { data: page } = await listInvoicesV1({
  query: { fields: ['id', 'status', 'total_cents'], customer_id: idOf(customer) },
  throwOnError,
});
const { error } = await createInvoiceV1({ body: { currency: 'usd' } });

report({ customer, invoice, rows: page.data, next: page.next_cursor, error });
