import type { Json } from './json-schema.ts';

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema });

/** Every header that an answer can carry beside its media type and CORS’s, by its name. */
export const HEADERS = {
  'X-Request-Id': header('Names this request: say it when you ask about it.'),
  ETag: header('The tag of the state that was read or written: for `If-Match` and `If-None-Match`.'),
  'Cache-Control': header('How long the answer may be kept, and by whom.'),
  Vary: header('What else the answer depends on.'),
  Location: header('The path of what was made, or where it is to be had.'),
  Link: header('The pages around this one (RFC 8288): `next`, and with `page` also `prev`, `first` and `last`.'),
  'Retry-After': header('After how many seconds to ask again.', { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': header('What the token lacks (RFC 6750 §3).'),
  'Idempotent-Replayed': header('Says that this is the first answer to this key again, and nothing was done.', {
    type: 'string',
    const: 'true',
  }),
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof HEADERS;

/** The headers of an answer, as references to the components. */
export const headers = (...names: readonly HeaderName[]): Json =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
