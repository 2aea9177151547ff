import createClient from 'openapi-fetch';
import type { paths } from '../output/openapi-typescript.ts';
import { AMOUNT, API, idOf, report, succeeded, TOKEN } from './report.ts';

const client = createClient<paths>({
  baseUrl: API,
  headers: { Authorization: `Bearer ${TOKEN}` },
  querySerializer: { array: { style: 'form', explode: false } },
});

const customer = succeeded(await client.POST('/v1/customers', { body: { name: 'Ada' } }));
const body = { customer_id: customer.id, total_cents: AMOUNT };
const invoice = succeeded(await client.POST('/v1/invoices', { body }));
succeeded(
  await client.POST('/v1/payments', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { invoice_id: idOf(invoice), amount_cents: AMOUNT },
  }),
);
const query = { fields: ['id' as const, 'status' as const, 'total_cents' as const], customer_id: idOf(customer) };
const page = succeeded(await client.GET('/v1/invoices', { params: { query } }));
const { error } = await client.POST('/v1/invoices', { body: { currency: 'usd' } });

report({ customer, invoice, rows: page.data, next: page.next_cursor, error });
