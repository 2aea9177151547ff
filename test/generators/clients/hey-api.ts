import { client } from '../output/hey-api/client.gen.ts';
import { createCustomerV1, createInvoiceV1, createPaymentV1, listInvoicesV1 } from '../output/hey-api/index.ts';

declare const process: { readonly env: { readonly API: string; readonly TOKEN: string } };

/** An amount in cents that 32 bits cannot hold. */
const AMOUNT = 3_000_000_000;

/** The id of a resource that was created without `dry_run`. */
const idOf = ({ id }: { readonly id: number | null }): number => {
  if (id === null) throw new Error('A dry run creates nothing.');
  return id;
};

client.setConfig({ baseUrl: process.env.API, auth: process.env.TOKEN });
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
  query: { fields: ['id', 'status', 'total_cents'], customer_id: [idOf(customer)] },
  throwOnError,
});
const { error } = await createInvoiceV1({ body: { currency: 'usd' } });
const code = error && 'code' in error ? error.code : undefined;

console.log(
  JSON.stringify({ customer: idOf(customer), invoice: idOf(invoice), rows: page.data, next: page.next_cursor, code }),
);
