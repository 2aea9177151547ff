import httpJsonBodyParser from '@middy/http-json-body-parser';
import { type Operation, routeOf } from '#shared/platform/http/endpoint.ts';
import { type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { describeJsonError } from '#shared/platform/http/request/json-error.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** 256 KiB (CONTRACT §10). */
const MAX_BODY_BYTES = 262_144;

export const takesBody = (operation: Operation): boolean => !['GET', 'DELETE'].includes(routeOf(operation).method);

/** Decodes and parses the body (CONTRACT §10, §12). */
export const parseBody: Step<Operation> = {
  name: 'parseBody',
  reads: (operation) => ['Content-Encoding', ...when(takesBody(operation), 'Content-Type')],
  refuses: (operation) => [
    'unsupported-media-type',
    ...when(takesBody(operation), 'body-too-large', 'malformed-json', 'validation-failed'),
  ],
  writes: (operation, status) =>
    status === 415 ? ['Accept-Encoding', ...when(takesBody(operation), acceptHeaderOf(operation))] : [],
  before: async (event, { endpoint }) => {
    const { body: sent = '', isBase64Encoded, headers } = event;
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) {
      const detail = `The Content-Encoding is ${quote(encoding)}; it must be absent.`;
      throw new ProblemError('unsupported-media-type', { detail });
    }
    if (!takesBody(endpoint)) return;
    const text = isBase64Encoded ? Buffer.from(sent as string, 'base64').toString() : (sent as string);
    // Without a byte order mark (RFC 8259 §8.1).
    const body = text.replace(/^\ufeff/, '');
    if (body === '' && endpoint.body === undefined) {
      event.body = {};
      return;
    }
    checkType(headers['content-type'], mediaTypesOf(endpoint));
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_BODY_BYTES) {
      const detail = `The body has ${bytes} bytes; at most ${MAX_BODY_BYTES} are accepted.`;
      throw new ProblemError('body-too-large', { detail });
    }
    if (body.includes('\ufffd') && isBase64Encoded) checkUtf8(sent as string);
    event.body = await parseText(body);
    event.isBase64Encoded = false;
  },
  after: ({ event, response: { headers }, error }, { endpoint }) => {
    if (!(error instanceof ProblemError && error.code === 'unsupported-media-type')) return;
    if (event.headers['content-encoding'] !== undefined) headers['accept-encoding'] = 'identity';
    else headers[acceptHeaderOf(endpoint).toLowerCase()] = mediaTypesOf(endpoint).join(', ');
  },
};

/** A patch is a merge patch under both media types. */
export const mediaTypesOf = (operation: Operation): string[] =>
  routeOf(operation).method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];

/** The header of a 415 that lists the media types (RFC 5789 §2.2, RFC 9110 §15.5.16). */
const acceptHeaderOf = (operation: Operation): 'Accept-Patch' | 'Accept' =>
  routeOf(operation).method === 'PATCH' ? 'Accept-Patch' : 'Accept';

const checkUtf8 = (base64: string): void => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new ProblemError('malformed-json', { detail: 'The body is not valid UTF-8.' });
  }
};

/** A parameter of a media type, or an empty one (RFC 9110 §5.6.6). */
const PARAMETER = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?[ \t]*/g;
const UTF_8 = /^(?:utf-?8|"utf-?8")$/i;

const checkType = (header: string | undefined, types: readonly string[]): void => {
  const [type = ''] = (header ?? '').split(';', 1);
  const parameters = (header ?? '').slice(type.length);
  const matches = [...parameters.matchAll(PARAMETER)];
  const isWellFormed = matches.map(([match]) => match).join('') === parameters;
  // Other parameters have no meaning for JSON.
  const charsets = matches.flatMap(([, name = '', value = '']) => (/^charset\*?$/i.test(name) ? [value] : []));
  const isUtf8 = charsets.length <= 1 && charsets.every((charset) => UTF_8.test(charset));
  if (types.includes(type.trim().toLowerCase()) && isWellFormed && isUtf8) return;
  const sent = header === undefined ? 'The request has no Content-Type' : `The Content-Type is ${quote(header)}`;
  const detail = `${sent}; it must be ${types.join(' or ')}, in UTF-8.`;
  throw new ProblemError('unsupported-media-type', { detail });
};

const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });
const FORBIDDEN_KEY_MESSAGE = 'Forbidden key in JSON body';

/** Parses with Middy's parser and converts its errors into problems. */
const parseText = async (body: string): Promise<unknown> => {
  const request = { event: { body } };
  try {
    // The parser's type requires a complete Middy request, but it reads and sets only `event.body`.
    await parse?.(request as never);
    return request.event.body;
  } catch (error) {
    if ((error as Error).message === FORBIDDEN_KEY_MESSAGE) {
      const detail = 'must hold no member named __proto__, nor constructor.prototype';
      throw new ProblemError('validation-failed', { violations: [{ pointer: '', code: 'forbidden-name', detail }] });
    }
  }
  // Its recursion also fails on valid JSON with deep nesting, which `validate` must report as too deep.
  try {
    return JSON.parse(body);
  } catch {
    throw new ProblemError('malformed-json', { detail: describeJsonError(body) });
  }
};
