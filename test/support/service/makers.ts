import { randomUUID } from 'node:crypto';
import type { Answer, Caller, Client } from './client.ts';

type Json = Answer['json'];

export type Makers = ReturnType<typeof makers>;

export const newAccount = (): string => `acct_${randomUUID().slice(0, 8)}`;

/** The status and the problem code of a response. */
export const outcome = ({ status, json }: Answer): unknown[] => [status, json?.code];

const MAX_TRIES = 100;

/**
 * Sends the requests of one caller. A maker creates a resource, with a body that a test can override, and returns the
 * resource with its path. It fails unless the request succeeds.
 */
export const makers = (service: Pick<Client, 'send'>, as: Caller = {}) => {
  /** A POST has a new idempotency key, unless the headers have a key. */
  const send = (method: string, path: string, body?: object, headers = {}): Promise<Answer> => {
    const key = method === 'POST' && { 'idempotency-key': randomUUID() };
    return service.send(path, { method, ...(body && { body }), headers: { ...key, ...headers }, as });
  };
  const create = async (collection: string, body: object = {}): Promise<Json> => {
    const { status, headers, json, text } = await send('POST', `/v1/${collection}`, body);
    if (status >= 300) throw new Error(`${collection}: ${text}`);
    return { ...json, path: headers['location'] };
  };
  return {
    account_id: as.account ?? 'acct_1',
    send,
    create,
    /** Repeats a request under one key until its outcome is known. */
    async untilDecided(method: string, path: string, body?: object): Promise<Answer> {
      const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
      for (let tries = 1; ; tries++) {
        const answer = await send(method, path, body, headers);
        if (answer.status < 500 && answer.json?.code !== 'request-in-progress') return answer;
        if (tries === MAX_TRIES) throw new Error(answer.text);
      }
    },
    get: async (path: string): Promise<Json> => (await send('GET', path)).json,
    /** The rows of all pages of a list. */
    async list(path: string): Promise<Json[]> {
      const rows: Json[] = [];
      for (let after = ''; ; ) {
        const { status, json, text } = await send('GET', path + after);
        if (status !== 200) throw new Error(text);
        rows.push(...json.data);
        if (!json.has_more) return rows;
        after = `${path.includes('?') ? '&' : '?'}after=${json.next_cursor}`;
      }
    },
    customer: (body: object = {}) => create('customers', { name: 'Ada', ...body }),
    invoice: (body: object = {}) => create('invoices', { total_cents: 1000, ...body }),
    item: (invoice_id: number, unit_amount_cents = 100, body: object = {}) =>
      create('invoice-items', { invoice_id, description: 'Work', unit_amount_cents, ...body }),
    payment: (invoice_id: number, amount_cents = 100, body: object = {}) =>
      create('payments', { invoice_id, amount_cents, ...body }),
    refund: (payment_id: number, body: object = {}) => create('refunds', { payment_id, ...body }),
    creditNote: (invoice_id: number, body: object = {}) => create('credit-notes', { invoice_id, ...body }),
    endpoint: (body: object = {}) => create('webhook-endpoints', { url: 'https://example.com/hooks', ...body }),
    export: (body: object = {}) => create('exports', { type: 'customers', format: 'jsonl', ...body }),
  };
};
