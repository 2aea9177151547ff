import { createHash } from 'node:crypto';
import { CliError } from '#local/cli/cli-error.ts';
import { gatewayEvent } from '#local/gateway/event.ts';
import type { Router } from '#local/gateway/invoke.ts';
import { invoke } from '#local/gateway/invoke.ts';

/** A member or an envelope, as v1 writes it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is the service's to keep
export type Json = Readonly<Record<string, any>>;

/** One account's API, as its clients see it but for the network between. */
export interface Api {
  get(path: string): Promise<Json>;
  patch(path: string, change: object): Promise<Json>;
  /** Creates what a body says; a payment or refund once however often it is asked: its key is made of the body. */
  post(path: string, body?: object): Promise<Json>;
  /** Every row of a collection. */
  all(collection: string, fields: string): Promise<Json[]>;
}

/** The most that a page holds (CONTRACT §5). */
const PAGE = 100;
const HTTP_PORT = 80;
/** Where POST takes a key (CONTRACT §8). */
const KEYED = ['/payments', '/refunds'];

/** The same name in the form of a UUID (version 8, RFC 9562 §5.8). */
const uuidOf = (name: string): string => {
  const digest = createHash('sha256').update(name).digest('hex');
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
};

/**
 * Reaches an account through the router that serves.
 * @throws Failure for any answer that is no success
 */
export const inProcessClient = (route: Router, token: string): Api => {
  const send = async (method: string, path: string, body?: object): Promise<Json> => {
    const target = `/v1${path}`;
    const json = body === undefined ? '' : JSON.stringify(body);
    const rawHeaders = ['Authorization', `Bearer ${token}`];
    if (json) rawHeaders.push('Content-Type', 'application/json');
    if (KEYED.includes(path)) rawHeaders.push('Idempotency-Key', uuidOf(target + json));
    const destination = await route(method, target.split('?')[0] as string);
    const from = { sourceIp: '127.0.0.1', port: HTTP_PORT, time: new Date() };
    const event = gatewayEvent({ method, target, rawHeaders, body: Buffer.from(json), ...from }, destination);
    const { statusCode = 200, body: text = '' } = await invoke(destination.lambda, event);
    const answer = JSON.parse(text) as Json;
    if (statusCode < 300) return answer;
    const said = `${statusCode} ${answer['detail'] ?? answer['message']}`;
    throw new CliError(`The demo data cannot be loaded: ${method} ${target} is answered ${said}`);
  };
  return {
    get: (path) => send('GET', path),
    patch: (path, change) => send('PATCH', path, change),
    post: (path, body) => send('POST', path, body),
    async all(collection, fields) {
      const rows: Json[] = [];
      for (let after = ''; ; ) {
        const page = await send('GET', `/${collection}?limit=${PAGE}&fields=${fields}${after}`);
        rows.push(...page['data']);
        if (!page['has_more']) return rows;
        after = `&after=${encodeURIComponent(page['next_cursor'])}`;
      }
    },
  };
};
