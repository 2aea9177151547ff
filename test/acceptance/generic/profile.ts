import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { CliError } from '#local/cli/cli-error.ts';

/** The groups of checks of any service, and what a part of their checks needs. A profile may omit each. */
export const FEATURES = [
  'authentication',
  'conditional requests',
  'CORS',
  'cursors',
  'existence hiding',
  'HEAD',
  'idempotency keys',
  'problem details',
  'delete',
] as const;
export type Feature = (typeof FEATURES)[number];

/** Becomes another text at each request, so that two members, and two changes, differ. */
export const UNIQUE = '{unique}';

const Name = v.pipe(v.string(), v.minLength(1, 'must not be empty'));
const Path = v.pipe(v.string(), v.regex(/^\/[^?#\s]*$/, 'must be a path such as /v1/notes'));
const Body = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((body) => JSON.stringify(body).includes(UNIQUE), `must contain ${UNIQUE} in a text`),
);
const Status = v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599));
const status = (usual: number) => v.optional(Status, usual);
const name = (usual: string) => v.optional(Name, usual);
const names = (...usual: string[]) => v.optional(v.array(Name), usual);

/** Names in a list's query and response: those of the specification by default (§4, Pagination). */
const List = v.strictObject({
  limit: name('limit'),
  /** The largest limit. */
  maximum: v.optional(v.pipe(v.number(), v.integer(), v.minValue(5)), 100),
  /** The parameter of the cursor. */
  after: name('after'),
  /** The member with the rows; null if the response is an array. */
  data: v.optional(v.nullable(Name), 'data'),
  /** The member with the next cursor; null if the Link header has the next page (RFC 8288). */
  next: v.optional(v.nullable(Name), 'next_cursor'),
  /** The member that is true if more rows follow; null if there is none. */
  has_more: v.optional(v.nullable(Name), 'has_more'),
});

/** §7, and RFC 9110 where the specification names no status. */
const Statuses = v.strictObject({
  created: status(201),
  changed: status(200),
  deleted: status(204),
  preflight: status(204),
  malformed_json: status(400),
  invalid_cursor: status(400),
  unauthenticated: status(401),
  missing: status(404),
  method: status(405),
  stale: status(412),
  media_type: status(415),
  invalid: status(422),
  /** A key with another body: 422 or 409 (§4, Idempotency 5). */
  key_reused: v.optional(v.picklist([409, 422]), 422),
});

export const ProfileSchema = v.strictObject({
  name: Name,
  collection: Path,
  /** A body that creates a member, one that changes it, and one that is refused. */
  create: Body,
  change: Body,
  invalid: v.record(v.string(), v.unknown()),
  change_method: v.optional(v.picklist(['PATCH', 'PUT']), 'PATCH'),
  /** The id of no member. */
  missing: Name,
  unknown_path: v.optional(Path),
  /** The member with the id, in a row and in a created member. */
  id: name('id'),
  /** The path of a member; without it, that of the collection with the id. */
  member: v.optional(v.pipe(Path, v.includes('{id}', 'must contain {id}'))),
  /** Where the response to a creation has the new path: in its Location, or as the id in its body. */
  location: v.optional(v.picklist(['header', 'body']), 'header'),
  list: v.optional(List, {}),
  idempotency_key: name('Idempotency-Key'),
  statuses: v.optional(Statuses, {}),
  problems: v.optional(
    v.strictObject({
      media_type: name('application/problem+json'),
      members: names('type', 'title', 'status'),
    }),
    {},
  ),
  /** How a request carries its token, and the scheme of WWW-Authenticate. */
  authorization: v.optional(
    v.strictObject({
      header: name('Authorization'),
      value: v.optional(v.pipe(Name, v.includes('{token}', 'must contain {token}')), 'Bearer {token}'),
      challenge: name('Bearer'),
    }),
    {},
  ),
  cors: v.optional(
    v.strictObject({
      origin: name('https://app.example.com'),
      exposes: names('ETag', 'Location'),
    }),
    {},
  ),
  /** Members of problems, and headers, that differ between two equal responses. */
  varies: names('request_id', 'x-request-id'),
  /** Tokens of two accounts; without them, --token-command issues them. */
  tokens: v.optional(v.strictObject({ own: Name, other: Name })),
  /** What the service does not have, with the reason. */
  omits: v.optional(v.record(v.picklist(FEATURES), Name), {}),
});

/** Describes a service to the checks of any service. */
export type Profile = v.InferOutput<typeof ProfileSchema>;
export type ProfileInput = v.InferInput<typeof ProfileSchema>;

/** @throws CliError with the first wrong member */
export const parseProfile = (value: unknown, source: string): Profile => {
  const { success, output, issues } = v.safeParse(ProfileSchema, value);
  if (success) return output;
  const [issue] = issues;
  throw new CliError(`${source}: ${v.getDotPath(issue) ?? 'the profile'} is wrong: ${issue.message}`, 2);
};

/** @throws CliError if there is no such file, or it is not a profile */
export const readProfile = async (file: string): Promise<Profile> => {
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new CliError(`Cannot read the profile ${file}: ${code}.`, 2);
  });
  try {
    return parseProfile(JSON.parse(text), file);
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${file} is not JSON: ${error.message}`, 2);
    throw error;
  }
};
