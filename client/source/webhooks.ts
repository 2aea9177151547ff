import { InvoicingError } from './error.ts';
import type { WebhookEvent } from './types.ts';

/** The headers of a request: `Headers`, or an object with names in any case, as in Node and Lambda. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The largest difference between the time of the message and this clock, in seconds. Default: 300. */
  readonly tolerance?: number | undefined;
}

/**
 * Verifies that the service has sent a webhook, and returns its event.
 * @param body the unparsed body: the signature covers its bytes
 * @param secrets the secret of the webhook endpoint, or several, of which one must fit
 * @throws InvoicingError `invalid-webhook` that states what is wrong
 * @throws TypeError when `body` or `secrets` cannot be right
 */
export const verifyWebhook = async (
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  { tolerance = TOLERANCE_S }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const bytes = bytesOf(body);
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('secrets must not be empty.');
  const [id = '', timestamp = '', signature = ''] = NAMES.map((name) => headerOf(headers, name));
  checkTimestamp(timestamp, tolerance);
  const signed = concat(encode(`${id}.${timestamp}.`), bytes);
  const signatures = signature.split(' ').flatMap(signatureOf);
  for (const key of await Promise.all(keys.map(importKey))) {
    for (const one of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, one, signed)) return parse(bytes);
    }
  }
  throw invalid('no signature fits: the body was changed, or the secret is that of another webhook endpoint');
};

const TOLERANCE_S = 300;
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

const encode = (text: string) => new TextEncoder().encode(text);

const invalid = (detail: string, cause?: unknown) => new InvoicingError('invalid-webhook', detail, { cause });

const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return encode(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError('body must be the unparsed body of the request, as text or bytes.');
};

/** The error does not contain the secret. */
const keyOf = (secret: unknown): Uint8Array<ArrayBuffer> => {
  const [, base64] = typeof secret === 'string' ? (/^whsec_(.+)$/.exec(secret) ?? []) : [];
  const key = base64 && decodeBase64(base64);
  if (!key) throw new TypeError('A secret must have the form whsec_<Base64>, as in the response that created it.');
  return key;
};

const importKey = (key: Uint8Array<ArrayBuffer>) => crypto.subtle.importKey('raw', key, ALGORITHM, false, ['verify']);

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw invalid(`the header ${name} is missing`);
  return value;
};

const checkTimestamp = (timestamp: string, tolerance: number): void => {
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('the header webhook-timestamp is not a number of seconds');
  const age = Math.round(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const difference = age > 0 ? `${age} seconds old` : `${-age} seconds in the future`;
  throw invalid(`the message is ${difference}, and the tolerance is ${tolerance} seconds`);
};

/** Signatures of other algorithms (`v1a`) are ignored. */
const signatureOf = (text: string): Uint8Array<ArrayBuffer>[] => {
  const [version, base64 = ''] = text.split(',');
  const bytes = version === 'v1' ? decodeBase64(base64) : undefined;
  return bytes ? [bytes] : [];
};

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const concat = (a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> => {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
};

const parse = (bytes: Uint8Array): WebhookEvent => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw invalid('the body is not JSON', cause);
  }
};
