import type { MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { type MiddlewareStep, type Received, type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { describeJsonError } from '#shared/platform/http/request/json-error.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** 256 KiB (CONTRACT §10). */
const MAX_BODY_BYTES = 262_144;

/** Decodes the body, and refuses a body that is no JSON text of at most {@link MAX_BODY_BYTES} (CONTRACT §10, §12). */
export const checkBody: Step<Received, { readonly body?: string; readonly isBase64Encoded: boolean }, Operation> = {
  name: 'checkBody',
  reads: ({ mediaTypes }) => ['Content-Encoding', ...when(mediaTypes, 'Content-Type')],
  refuses: ({ mediaTypes }) => ['unsupported-media-type', ...when(mediaTypes, 'body-too-large', 'malformed-json')],
  writes: ({ method, mediaTypes }, status) =>
    status === 415 ? ['Accept-Encoding', ...when(mediaTypes, acceptHeaderOf(method))] : [],
  run: ({ body: sent = '', isBase64Encoded, headers }, { endpoint }) => {
    const encoding = headers['content-encoding'];
    if (encoding !== undefined) {
      const detail = `The Content-Encoding is ${quote(encoding)}; it must be absent.`;
      throw new ProblemError('unsupported-media-type', { detail, headers: { 'accept-encoding': 'identity' } });
    }
    const { mediaTypes, method } = endpoint;
    if (!mediaTypes) return { isBase64Encoded };
    const text = isBase64Encoded ? Buffer.from(sent, 'base64').toString() : sent;
    // Removes a byte order mark (RFC 8259 §8.1).
    const body = text.replace(/^\ufeff/, '');
    if (body === '' && (!endpoint.body || endpoint.isBodyOptional)) return { body: '{}', isBase64Encoded: false };
    checkType(headers['content-type'], mediaTypes, method);
    const bytes = Buffer.byteLength(body);
    if (bytes > MAX_BODY_BYTES) {
      const detail = `The body has ${bytes} bytes; at most ${MAX_BODY_BYTES} are accepted.`;
      throw new ProblemError('body-too-large', { detail });
    }
    if (body.includes('\ufffd') && isBase64Encoded) checkUtf8(sent);
    return { body, isBase64Encoded: false };
  },
};

/** The header of a 415 that lists the media types (RFC 5789 §2.2, RFC 9110 §15.5.16). */
const acceptHeaderOf = (method: string): 'Accept-Patch' | 'Accept' => (method === 'PATCH' ? 'Accept-Patch' : 'Accept');

const checkUtf8 = (base64: string): void => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new ProblemError('malformed-json', { detail: 'The body is not valid UTF-8.' });
  }
};

/** A parameter of a media type, or an empty parameter (RFC 9110 §5.6.6). */
const PARAMETER = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?[ \t]*/g;
const UTF_8 = /^(?:utf-?8|"utf-?8")$/i;

const checkType = (header: string | undefined, types: readonly string[], method: string): void => {
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
  const accept = { [acceptHeaderOf(method).toLowerCase()]: types.join(', ') };
  throw new ProblemError('unsupported-media-type', { detail, headers: accept });
};

const FORBIDDEN_KEY_MESSAGE = 'Forbidden key in JSON body';

/** Replaces the text of the body by its value. */
export const parseBody: MiddlewareStep<Operation> = {
  name: 'parseBody',
  reads: ({ mediaTypes }) => when(mediaTypes, 'Content-Type'),
  refuses: ({ mediaTypes }) => when(mediaTypes, 'malformed-json', 'validation-failed'),
  middleware: ({ mediaTypes }) =>
    mediaTypes && withProblems(httpJsonBodyParser<GatewayEvent>({ disableContentTypeCheck: true })),
};

/** Converts the errors of Middy's parser into problems. */
const withProblems = ({ before }: MiddlewareObj<GatewayEvent>): MiddlewareObj<GatewayEvent> => ({
  before: async (request) => {
    const { event } = request;
    const { body: text = '' } = event;
    try {
      await before?.(request);
    } catch (error) {
      if ((error as Error).message === FORBIDDEN_KEY_MESSAGE) {
        const detail = 'must hold no member named __proto__, nor constructor.prototype';
        throw new ProblemError('validation-failed', { violations: [{ pointer: '', code: 'forbidden-name', detail }] });
      }
      // Its recursion also fails on valid JSON with deep nesting, which `validate` must report as too deep.
      event.body = parseText(text);
    }
  },
});

const parseText = (text: string): ReturnType<typeof JSON.parse> => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('malformed-json', { detail: describeJsonError(text) });
  }
};
