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
 * @param secrets the secret of the webhook endpoint, or several secrets, of which one must fit
 * @throws InvoicingError `invalid-webhook` that states the mistake
 * @throws TypeError for an invalid `body` or `secrets`
 */
export const verifyWebhook = async (
  headers: WebhookHeaders,
  body: string | ArrayBuffer | ArrayBufferView,
  secrets: string | readonly string[],
  { tolerance = TOLERANCE_S }: VerifyOptions = {},
): Promise<WebhookEvent> => {
  const bytes = bytesOf(body);
  const keys = [secrets].flat().map(keyOf);
  if (keys.length === 0) throw new TypeError('secrets must not be empty.');
  const [id = '', timestamp = '', signature = ''] = NAMES.map((name) => headerOf(headers, name));
  checkTimestamp(timestamp, tolerance);
  const signed = concat(encode(`${id}.${timestamp}.`), bytes);
  const signatures = signature.split(' ').filter(isSignature).slice(0, MAX_SIGNATURES);
  for (const key of keys) {
    const expected = await sign(key, signed);
    if (signatures.some((one) => isEqual(one, expected))) return parse(bytes);
  }
  throw invalid('no signature fits: the body was changed, or the secret is that of another webhook endpoint');
};

const TOLERANCE_S = 300;
/** The service sends at most this number of signatures: one for each valid secret. */
const MAX_SIGNATURES = 10;
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

const encode = (text: string) => new TextEncoder().encode(text);

const invalid = (detail: string, cause?: unknown) => new InvoicingError('invalid-webhook', detail, { cause });

const bytesOf = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (isArrayBuffer(body)) return new Uint8Array(body);
  throw new TypeError('body must be the unparsed body of the request, as text or bytes.');
};

/** Recognizes also a buffer of another realm, such as the window of a test. */
const isArrayBuffer = (body: unknown): body is ArrayBuffer =>
  Object.prototype.toString.call(body) === '[object ArrayBuffer]';

/** The error does not contain the secret. */
const keyOf = (secret: unknown): Uint8Array<ArrayBuffer> => {
  const [, base64 = ''] = typeof secret === 'string' ? (/^whsec_(.+)$/.exec(secret) ?? []) : [];
  try {
    if (base64) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    // A secret that is not Base64 gets the same error below.
  }
  throw new TypeError('A secret must have the form whsec_<Base64>, as in the response that created it.');
};

/** The signature as in the header. */
const sign = async (key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<string> => {
  const hmacKey = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const hmac = await crypto.subtle.sign('HMAC', hmacKey, signed);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(hmac)))}`;
};

/** A signature of 32 bytes. Signatures of other algorithms (`v1a`) are ignored. */
const isSignature = (text: string): boolean => /^v1,[\w+/]{43}=$/.test(text);

/** Takes the same time for all texts of one length. */
const isEqual = (a: string, b: string): boolean => {
  let difference = 0;
  for (let i = 0; i < b.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
};

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  if (isRepeated(name, value)) throw invalid(`the header ${name} is a list: it was sent more than once`);
  if (typeof value !== 'string' || value === '') throw invalid(`the header ${name} is missing`);
  return value;
};

/** Servers give a repeated header as a list, or join its values with commas, which an id and a time do not contain. */
const isRepeated = (name: string, value: unknown): boolean =>
  Array.isArray(value) || (typeof value === 'string' && name !== 'webhook-signature' && value.includes(','));

const checkTimestamp = (timestamp: string, tolerance: number): void => {
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('the header webhook-timestamp is not a number of seconds');
  const age = Math.round(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const difference = age > 0 ? `${age} seconds old` : `${-age} seconds in the future`;
  throw invalid(`the message is ${difference}, and the tolerance is ${tolerance} seconds`);
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
