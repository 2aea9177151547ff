import { type Endpoint, hasId, isPublic, type Operation, resourceOfGet, routeOf } from '#shared/platform/endpoint.ts';
import type { RequestHeader } from '#shared/platform/http/pipeline/step.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Field } from '#shared/platform/wire/field.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { declarationsOf } from './declarations.ts';
import { type Json, jsonSchema, nonNullable } from './json-schema.ts';
import { ref } from './resources.ts';

const KEY = '6f9b1d3e-2c4a-4e58-9d7b-0a1c2e3f4b5d';
const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Without a `default`: tools would send it, and the two styles of pages cannot be mixed. */
const size = (name: string): Json => ({
  name,
  in: 'query',
  description: 'How many rows a page has; 20 without it.',
  schema: { type: 'integer', minimum: 1, maximum: 100 },
});

/** Bounds of `created_at` (CONTRACT §4, Filters). */
const bound = (name: string, description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', format: 'date-time' },
});

/** Headers that the document describes as security or as the body, and those of browsers, proxies and traces. */
export const ELSEWHERE = [
  'Accept-Encoding',
  'Access-Control-Request-Method',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Origin',
  'X-Shared-Cache',
  'traceparent',
  'tracestate',
] as const satisfies readonly RequestHeader[];

type Documented = Exclude<RequestHeader, (typeof ELSEWHERE)[number]>;
const isDocumented = (name: RequestHeader): name is Documented => !ELSEWHERE.some((one) => one === name);

/** The parameters that stand in more than one operation, by the names of the document's components. */
export const PARAMETERS = {
  after: {
    name: 'after',
    in: 'query',
    description: 'The `next_cursor` of the page before, unchanged. Cannot be combined with `page` and `per_page`.',
    schema: { type: 'string' },
  },
  limit: size('limit'),
  page: {
    name: 'page',
    in: 'query',
    description: 'The number of the page, from 1. Cannot be combined with `after` and `limit`.',
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
  per_page: size('per_page'),
  created_from: bound('created_from', 'Only those created at this time or later.'),
  created_before: bound('created_before', 'Only those created before this time.'),
  sort: {
    name: 'sort',
    in: 'query',
    description: 'The order: by id, which is the order of creation, or the other way round.',
    schema: { type: 'string', enum: ['id', '-id'], default: 'id' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A UUID, made once for each logical operation and sent again with every retry of it. Within its window, 24 ' +
      'hours unless configured otherwise, the same key and body are answered with the first answer, and nothing is ' +
      'done twice.',
    schema: { type: 'string', pattern: `^(${UUID}|"${UUID}")$` },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` that was read, a list of such, or `*`: a member with any other tag is left as it is (412).',
    schema: { type: 'string' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of a copy at hand: while it is the current one, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<Documented, Json> & Record<string, Json>>;

/** A comma-separated list of names, each of them once. */
const names = (name: string, description: string, values: readonly string[]): Json => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, items: { type: 'string', enum: values } },
});

const expansion = ({ relations }: Resource): Json => {
  const scopes = Object.entries(relations).map(
    ([name, { resource }]) => `\`${name}\` needs the scope \`${resource.scope}:read\`.`,
  );
  return names('expand', `Related resources to embed: ${scopes.join(' ')}`, Object.keys(relations));
};

/** The documentation's page would send the first of several values unasked. */
const unsent = ([value]: readonly unknown[]): Json => ({ examples: { default: { value, 'x-disabled': true } } });

const filter = (name: string, schema: Json): Json => ({
  name,
  in: 'query',
  description: `Only those whose \`${name}\` is this one.`,
  schema,
  ...(Array.isArray(schema['enum']) && unsent(schema['enum'])),
});

/** The parameters in a template. */
export const pathParameters = (path: string, description: string, schema: Json): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, description, schema }));

/** A query parameter; any that is no component is a filter. Null cannot be written in a query. */
const queryParameter = (name: string, resource: Resource, version: Version): Json => {
  if (name === 'fields') {
    return names('fields', 'Only these fields of each resource.', Object.keys(resource.fields[version]));
  }
  if (name === 'expand') return expansion(resource);
  if (name in PARAMETERS) return ref('parameters', name);
  return filter(name, nonNullable(jsonSchema((resource.fields.v1[name] as Field).schema)));
};

/** The headers that an endpoint reads; an Idempotency-Key may be required. */
export const headerParameters = (endpoint: Endpoint): Json[] =>
  declarationsOf(endpoint)
    .reads.filter(isDocumented)
    // A request that creates a member is refused only a malformed If-Match.
    .filter((name) => name !== 'If-Match' || hasId(endpoint))
    .map((name) =>
      name === 'Idempotency-Key' && !isPublic(endpoint) && endpoint.idempotency === 'required'
        ? { ...PARAMETERS[name], required: true, example: KEY }
        : ref('parameters', name),
    );

const ID: Json = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

/** Every parameter and header that an operation reads under a version. */
export const parametersOf = (operation: Operation, version: Version): Json[] => {
  const resource = resourceOfGet(operation);
  const names = resource ? declarationsOf(operation).parameters(version) : [];
  return [
    ...pathParameters(routeOf(operation).path, 'Its identifier.', ID),
    ...names.map((name) => queryParameter(name, resource as Resource, version)),
    ...headerParameters(operation),
  ];
};
