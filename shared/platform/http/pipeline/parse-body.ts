import httpJsonBodyParser from '@middy/http-json-body-parser';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { describeJsonError } from '#shared/platform/http/request/json-error.ts';
import { Refusal } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import type { Exchange, Middleware } from './context.ts';

/** 256 KiB (CONTRACT §10). */
const MOST_BYTES = 262_144;

const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';

/** The media types and the bytes of a request's body, up to its JSON value (CONTRACT §10, §12). */
export const content = (operation: Operation): Middleware[] => {
  const { method } = routeOf(operation);
  if (method === 'GET' || method === 'DELETE') return [plain];
  const types = method === 'PATCH' ? [JSON_TYPE, MERGE_PATCH] : [JSON_TYPE];
  return [plain, readable(types, operation.body === undefined), json];
};

const plain: Middleware = {
  name: 'plain',
  before: ({ event }) => {
    if (event.headers['content-encoding'] !== undefined) {
      const detail = `The Content-Encoding is ${quote(event.headers['content-encoding'])}; it must be absent.`;
      throw new Refusal('unsupported-media-type', { detail });
    }
  },
};

/** @param mayBeAbsent whether the operation takes no fields, so that no body is as good as `{}` */
const readable = (types: readonly string[], mayBeAbsent: boolean): Middleware => ({
  name: 'readable',
  before: ({ event }) => {
    const body = textOf(event);
    if (body === '' && mayBeAbsent) {
      event.body = '{}';
      return;
    }
    checkType(event.headers['content-type'], types);
    checkSize(body);
    if (body.includes('\ufffd') && event.isBase64Encoded) checkUtf8(event.body as string);
    event.body = body;
    event.isBase64Encoded = false;
  },
});

const textOf = ({ body = '', isBase64Encoded }: Exchange): string =>
  isBase64Encoded ? Buffer.from(body as string, 'base64').toString() : (body as string);

const checkUtf8 = (base64: string): void => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new Refusal('malformed-json', { detail: 'The body is not valid UTF-8.' });
  }
};

const checkSize = (body: string): void => {
  const bytes = Buffer.byteLength(body);
  if (bytes <= MOST_BYTES) return;
  throw new Refusal('body-too-large', { detail: `The body has ${bytes} bytes; at most ${MOST_BYTES} are accepted.` });
};

/** The only parameters that a media type may have. */
const UTF_8 = /^(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i;

const checkType = (header: string | undefined, types: readonly string[]): void => {
  const [type = ''] = (header ?? '').split(';', 1);
  if (types.includes(type.trim().toLowerCase()) && UTF_8.test((header ?? '').slice(type.length))) return;
  const sent = header === undefined ? 'The request has no Content-Type' : `The Content-Type is ${quote(header)}`;
  const detail = `${sent}; it must be ${types.join(' or ')}, with no parameter but charset=utf-8.`;
  throw new Refusal('unsupported-media-type', { detail });
};

const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });
const FORBIDDEN = 'Forbidden key in JSON body';

/** Middy's parser, its refusals in the contract's words. */
const json: Middleware = {
  name: 'json',
  before: async (request) => {
    const { body } = request.event;
    try {
      await parse?.(request as never);
    } catch (error) {
      if ((error as Error).message !== FORBIDDEN) request.event.body = parsed(body as string);
      else {
        const detail = 'must hold no member named __proto__, nor constructor.prototype';
        throw new Refusal('validation-failed', { violations: [{ pointer: '', code: 'forbidden-name', detail }] });
      }
    }
  },
};

/** Middy's parser recurses, so that it fails on JSON that is only too deep; that is for validation to say. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('malformed-json', { detail: describeJsonError(text) });
  }
};
