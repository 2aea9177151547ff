import { randomUUID } from 'node:crypto';
import type { AnyJson, Api } from './client.ts';

const authorization = (token: string): string => `-H 'Authorization: Bearer ${token}'`;

export const example = (url: string, token: string): string => `curl ${url}/v1/invoices ${authorization(token)}`;

const findPayableInvoice = async (api: Api): Promise<AnyJson | undefined> => {
  const { data } = await api.get('/invoices?status=open&limit=100&fields=id,amount_due_cents');
  return data.find(({ amount_due_cents }: AnyJson) => amount_due_cents > 0);
};

/** Four requests to copy: a list, the overdue invoices, an invoice with its customer, and a payment of this invoice. */
export const demoExamples = async (url: string, token: string, api: Api): Promise<string> => {
  const header = authorization(token);
  const list = `curl '${url}/v1/invoices?status=open&limit=5' ${header}`;
  const today = new Date().toISOString().slice(0, 10);
  const overdue = `curl '${url}/v1/invoices?status=open&sort=due_date&due_before=${today}&limit=5' ${header}`;
  const invoice = await findPayableInvoice(api);
  if (!invoice) return [list, overdue].join('\n');
  const { id, amount_due_cents } = invoice;
  const pay = JSON.stringify({ invoice_id: id, amount_cents: amount_due_cents, method: 'card' });
  return [
    list,
    overdue,
    `curl '${url}/v1/invoices/${id}?fields=id,status,amount_due_cents&expand=customer' ${header}`,
    `curl ${url}/v1/payments ${header} -H 'Content-Type: application/json' -H 'Idempotency-Key: ${randomUUID()}' -d '${pay}'`,
  ].join('\n');
};
