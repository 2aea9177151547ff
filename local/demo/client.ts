import { randomUUID } from 'node:crypto';
import { CliError } from '#local/cli/cli-error.ts';
import type { Handle } from '#local/gateway/handle.ts';

// biome-ignore lint/suspicious/noExplicitAny: the service defines the shape
export type AnyJson = Readonly<Record<string, any>>;

/** The API of one account, without a network. */
export interface Api {
  get(path: string): Promise<AnyJson>;
  patch(path: string, change: object): Promise<AnyJson>;
  post(path: string, body?: object): Promise<AnyJson>;
  all(collection: string, fields: string): Promise<AnyJson[]>;
}

export const inProcessClient = (handle: Handle, token: string): Api => {
  const send = async (method: string, path: string, body?: object): Promise<AnyJson> => {
    const target = `/v1${path}`;
    const rawHeaders = ['Authorization', `Bearer ${token}`, 'Idempotency-Key', randomUUID()];
    if (body) rawHeaders.push('Content-Type', 'application/json');
    const from = { sourceIp: '127.0.0.1', port: 80, time: new Date() };
    const sent = { method, target, rawHeaders, body: Buffer.from(body ? JSON.stringify(body) : ''), ...from };
    const { statusCode = 200, body: text = '' } = await handle(sent);
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
        const page = await send('GET', `/${collection}?limit=100&fields=${fields}${after}`);
        for (const row of page['data']) rows.push(row);
        if (!page['has_more']) return rows;
        after = `&after=${encodeURIComponent(page['next_cursor'])}`;
      }
    },
  };
};
