import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
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
} as const satisfies Readonly<Record<string, Json>>;

const shared = (name: keyof typeof PARAMETERS): Json => ref('parameters', name);

/** A comma-separated list of names, each of them once. */
const names = (name: string, description: string, values: readonly string[]): Json => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, items: { type: 'string', enum: values } },
});

const selecting = ({ fields, relations }: Resource, version: Version): Json[] => {
  const related = Object.entries(relations);
  const scopes = related.map(([name, { resource }]) => `\`${name}\` needs the scope \`${resource.scope}:read\`.`);
  return [
    names('fields', 'Only these fields of each resource.', Object.keys(fields[version])),
    ...(related.length > 0
      ? [names('expand', `Related resources to embed: ${scopes.join(' ')}`, Object.keys(relations))]
      : []),
  ];
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

/** Null cannot be written in a query. */
const filtering = ({ fields }: Resource, filters: readonly string[]): Json[] =>
  filters.map((name) => {
    const { schema } = fields.v1[name] as NonNullable<(typeof fields.v1)[string]>;
    return filter(name, nonNullable(jsonSchema(schema)));
  });

const inPath = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Its identifier.',
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  }));

const paging = (version: Version): Json[] => {
  const styles = version === 'v1' ? (['after', 'limit', 'page', 'per_page'] as const) : (['after', 'limit'] as const);
  return (['created_from', 'created_before', 'sort', ...styles] as const).map(shared);
};

/** Every parameter and header that an operation reads under a version. */
export const parametersOf = (operation: Operation, version: Version): Json[] => {
  const { method, path } = routeOf(operation);
  const isMember = path.includes('{');
  const resource = method === 'GET' ? operation.returns[200] : undefined;
  const key = { ...shared('Idempotency-Key') };
  return [
    ...inPath(path),
    ...(resource ? selecting(resource, version) : []),
    ...(resource && operation.lists ? [...filtering(resource, operation.lists.filters), ...paging(version)] : []),
    ...(resource && !operation.lists ? [shared('If-None-Match')] : []),
    ...(operation.idempotency
      ? [
          operation.idempotency === 'required'
            ? { ...PARAMETERS['Idempotency-Key'], required: true, example: KEY }
            : key,
        ]
      : []),
    ...(method !== 'GET' && isMember ? [shared('If-Match')] : []),
  ];
};
