import { createHash } from 'node:crypto';
import { CliError } from '#local/cli/cli-error.ts';
import type { Handle } from '#local/gateway/handle.ts';

// biome-ignore lint/suspicious/noExplicitAny: the service defines the shape
export type AnyJson = Readonly<Record<string, any>>;

/** The API of one account, without a network. */
export interface Api {
  get(path: string): Promise<AnyJson>;
  patch(path: string, change: object): Promise<AnyJson>;
  /** The Idempotency-Key of a payment or refund is a hash of its body, so that a repeated call creates nothing. */
  post(path: string, body?: object): Promise<AnyJson>;
  all(collection: string, fields: string): Promise<AnyJson[]>;
}

/** The largest page (CONTRACT §5). */
const PAGE_LIMIT = 100;
const HTTP_PORT = 80;
/** Endpoints that require an Idempotency-Key (CONTRACT §8). */
const KEYED_PATHS = ['/payments', '/refunds'];

/** A UUID with the hash of a name (version 8, RFC 9562 §5.8). */
const uuidOf = (name: string): string => {
  const digest = createHash('sha256').update(name).digest('hex');
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
};

export const inProcessClient = (handle: Handle, token: string): Api => {
  const send = async (method: string, path: string, body?: object): Promise<AnyJson> => {
    const target = `/v1${path}`;
    const json = body === undefined ? '' : JSON.stringify(body);
    const rawHeaders = ['Authorization', `Bearer ${token}`];
    if (json) rawHeaders.push('Content-Type', 'application/json');
    if (KEYED_PATHS.includes(path)) rawHeaders.push('Idempotency-Key', uuidOf(target + json));
    const from = { sourceIp: '127.0.0.1', port: HTTP_PORT, time: new Date() };
    const received = { method, target, rawHeaders, body: Buffer.from(json), ...from };
    const { statusCode = 200, body: text = '' } = await handle(received);
    const result = JSON.parse(text) as AnyJson;
    if (statusCode < 300) return result;
    const problem = `${statusCode} ${result['detail'] ?? result['message']}`;
    throw new CliError(`Cannot load the demo data: ${method} ${target} returned ${problem}`);
  };
  return {
    get: (path) => send('GET', path),
    patch: (path, change) => send('PATCH', path, change),
    post: (path, body) => send('POST', path, body),
    async all(collection, fields) {
      const rows: AnyJson[] = [];
      for (let after = ''; ; ) {
        const page = await send('GET', `/${collection}?limit=${PAGE_LIMIT}&fields=${fields}${after}`);
        for (const row of page['data']) rows.push(row);
        if (!page['has_more']) return rows;
        after = `&after=${encodeURIComponent(page['next_cursor'])}`;
      }
    },
  };
};
