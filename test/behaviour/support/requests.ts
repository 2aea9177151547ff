import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Answer, Caller, Sent } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import { ownHeaders } from '#test/support/service/transport.ts';

export { outcome } from '#test/support/service/makers.ts';

/** Sends a POST with a new Idempotency-Key, unless the headers contain one. */
export const post = (service: Service, path: string, body?: unknown, { headers = {}, ...rest }: Sent = {}) =>
  service.send(path, {
    method: 'POST',
    headers: { 'idempotency-key': randomUUID(), ...headers },
    ...(body !== undefined && { body }),
    ...rest,
  });

export const patch = (service: Service, path: string, body: unknown, sent: Sent = {}) =>
  service.send(path, { method: 'PATCH', body, ...sent });

export const put = (service: Service, path: string, body: unknown, sent: Sent = {}) =>
  service.send(path, { method: 'PUT', body, ...sent });

export const remove = (service: Service, path: string, sent: Sent = {}) =>
  service.send(path, { method: 'DELETE', ...sent });

/** Creates a member of a collection, and returns its path. */
export const created = async (service: Service, collection: string, body: object = {}, as?: Caller): Promise<string> =>
  (await service.create(`/v1/${collection}`, body, as)).headers['location'] as string;

export const idOf = (path: string): number => Number(path.split('/').at(-1));

export const createInvoice = async (service: Service, body: object = { total_cents: 1000 }): Promise<number> =>
  idOf(await created(service, 'invoices', body));

/** Creates an invoice in a status, and returns its path. */
export const invoiceIn = async (service: Service, status: string): Promise<string> => {
  const path = await created(service, 'invoices', { status: status === 'draft' ? 'draft' : 'open' });
  if (status === 'paid') await patch(service, path, { status: 'paid' });
  if (status === 'canceled') await post(service, `${path}/cancel`);
  return path;
};

export const pay = (service: Service, invoice_id: number, amount_cents: number, as: Caller = {}) =>
  post(service, '/v1/payments', { invoice_id, amount_cents }, { as });

/** Refunds the amount, or by default the rest. */
export const refund = (service: Service, payment_id: number, amount_cents?: number, as: Caller = {}) =>
  post(service, '/v1/refunds', { payment_id, ...(amount_cents !== undefined && { amount_cents }) }, { as });

/** Credits the amount, or by default the rest. */
export const credit = (
  service: Service,
  invoice_id: number,
  amount_cents?: number,
  more: object = {},
  sent: Sent = {},
) =>
  post(service, '/v1/credit-notes', { invoice_id, ...(amount_cents !== undefined && { amount_cents }), ...more }, sent);

export const addItem = (service: Service, invoice_id: number, unit_amount_cents: number, more: object = {}) =>
  post(service, '/v1/invoice-items', { invoice_id, description: 'Work', unit_amount_cents, ...more });

/** The number of members of a list. */
export const totalOf = async (service: Service, path: string): Promise<number> =>
  (await service.send(`/v1${path}?page=1&per_page=1`)).json.total_count;

/** The headers of a response that do not differ between two requests. */
export const constantHeaders = (answer: Answer): Readonly<Record<string, string>> => ({
  ...ownHeaders(answer),
  'x-request-id': '',
  'content-length': '',
  ratelimit: '',
});

export const JSON_TYPE = { 'content-type': 'application/json' };

export const createCustomer = async (service: Service, name = 'Ada'): Promise<number> =>
  idOf(await created(service, 'customers', { name }));

export const pointersOf = ({ json }: Answer): string[] =>
  json.errors.map(({ pointer }: { pointer: string }) => pointer);

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The challenge of a 401 (CONTRACT §2). */
export const challenge = (error = '') =>
  expect.stringMatching(
    new RegExp(
      `^Bearer realm="invoicing", resource_metadata="https?://[^"/]+/\\.well-known/oauth-protected-resource"${error}$`,
    ),
  );
