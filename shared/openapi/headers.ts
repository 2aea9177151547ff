import type { ResponseHeader } from '#shared/platform/http/pipeline/step.ts';
import type { Json } from './json-schema.ts';
import { ref } from './resources.ts';

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema });

/** The headers that steps and handlers write, by their names. */
export const HEADERS: Readonly<Record<ResponseHeader, Json>> = {
  'X-Request-Id': header('Names this request: say it when you ask about it.'),
  ETag: header('The tag of the state that was read or written: for `If-Match` and `If-None-Match`.'),
  'Cache-Control': header('How long the answer may be kept, and by whom.'),
  Vary: header('What else the answer depends on.'),
  Location: header('The path of what was made, or where it is to be had.'),
  Link: header(
    'Of a list, the pages around (RFC 8288): `next`, and with `page` also `prev`, `first` and `last`. Of a version whose ' +
      'end is announced, the same path under the next one: `successor-version`.',
  ),
  Deprecation: header('Of a version whose end is announced: since when it should not be used any more (RFC 9745).'),
  Sunset: header('Of a version whose end is announced: when it is expected to be gone (RFC 8594).'),
  'Retry-After': header('After how many seconds to ask again.', { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': header('What the token lacks (RFC 6750 §3).'),
  'Idempotent-Replayed': header('Says that this is the first answer to this key again, and nothing was done.', {
    type: 'string',
    const: 'true',
  }),
};

/** The headers of a response, as references to the components; the request's id comes first. */
export const headers = (names: readonly ResponseHeader[]): Json =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, ref('headers', name)]));
