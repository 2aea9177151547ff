import type { ResponseHeader } from '#shared/platform/http/pipeline/steps/step.ts';
import { integer, type Json } from './json-schema.ts';
import { ref } from './resources.ts';

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema });

/**
 * A header of any response. Problems do not list it: generated clients parse each listed header of each status, which was
 * half of a Go client.
 */
const general = (description: string, schema?: Json): Json => ({ ...header(description, schema), 'x-general': true });

export const HEADERS: Readonly<Record<ResponseHeader, Json>> = {
  'X-Request-Id': general('The id of this request. Quote it when you report a problem.'),
  Accept: header('The media types that the operation accepts.'),
  'Accept-Patch': header('The media types that the operation accepts.'),
  'Accept-Encoding': header('`identity` when the request had a `Content-Encoding`, which no operation accepts.'),
  ETag: header('The ETag of the current state of the resource. Send it as `If-Match` or `If-None-Match`.'),
  'Cache-Control': general('How long, and by which caches, the response may be reused.'),
  Vary: general('The request headers that the response depends on.'),
  Location: header('The path of the created resource, or the URL of the redirect.'),
  Link: general(
    'Of a list: the URL of the next page (`next`), and with `page` also those of the previous, first and last page ' +
      '(`prev`, `first`, `last`). Of a deprecated version: the same path under its successor (`successor-version`). RFC 8288.',
  ),
  Deprecation: general('Only of a deprecated version: since when it is deprecated (RFC 9745).'),
  Sunset: general('Only of a deprecated version: when it is expected to be removed (RFC 8594).'),
  'Dry-Run': general('`true` when the request had `dry_run=true`, so nothing was changed.', {
    type: 'string',
    const: 'true',
  }),
  'Retry-After': header('The number of seconds to wait before the next request.', integer({ minimum: 0 })),
  'RateLimit-Policy': general(
    'The budget of the account: `q` at once, and as much again in each `w` seconds. Only when a limit is configured.',
  ),
  RateLimit: general(
    'What is left of the budget (`r`), and the seconds in which it can be spent evenly (`t`). Only when it is known.',
  ),
  'WWW-Authenticate': header('Why the token was not accepted, and the scope that is missing (RFC 6750).'),
  'Idempotent-Replayed': header('`true` when the response is a replay of the stored response for this key.', {
    type: 'string',
    const: 'true',
  }),
};

/** The headers of a success, as references to the components. Every response has an `X-Request-Id`. */
export const headers = (names: readonly ResponseHeader[]): Json => references(['X-Request-Id', ...names]);

/** The headers that only some problems have. */
export const headersOfProblem = (names: readonly ResponseHeader[]): Json =>
  references(names.filter((name) => !HEADERS[name]['x-general']));

const references = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, ref('headers', name)]));
