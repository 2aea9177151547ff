import type { Resource } from '#shared/platform/declarations/resource.ts';
import { ETAG_LIST } from '#shared/platform/http/caching.ts';
import { type Endpoint, isPublic, type ListDeclaration, type Operation } from '#shared/platform/http/endpoint.ts';
import type { RequestHeader } from '#shared/platform/http/pipeline/steps/step.ts';
import { MAX_IDS, ordersOf, PAGE_SIZE } from '#shared/platform/http/request/pagination.ts';
import { type Field, requestSchema } from '#shared/platform/wire/field.ts';
import { Id } from '#shared/platform/wire/schema.ts';
import { isText, MAX_VALUES } from '#shared/platform/wire/several-values.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { declarationsOf } from './declarations.ts';
import { integer, type Json, jsonSchema, nonNullable } from './json-schema.ts';
import { resourceName, versioned } from './names.ts';
import { ref } from './resources.ts';

export const parametersOf = (operation: Operation, version: Version): Json[] => [
  ...pathParameters(operation.path, 'The id of the resource.', ID),
  ...declarationsOf(operation)
    .parameters(version)
    .map((name) => queryParameter(name, operation, version)),
  ...headerParameters(operation),
];

export const pathParameters = (path: string, description: string, schema: Json): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, description, schema }));

export const headerParameters = (endpoint: Endpoint): Json[] =>
  declarationsOf(endpoint)
    .reads.filter(isDocumented)
    .map((name) =>
      name === 'Idempotency-Key' && !isPublic(endpoint) && endpoint.idempotency === 'required'
        ? { ...PARAMETERS[name], required: true, example: KEY }
        : ref('parameters', name),
    );

const KEY = '6f9b1d3e-2c4a-4e58-9d7b-0a1c2e3f4b5d';

/** Has no `default`: tools would send it, and a request cannot use both pagination styles. */
const pageSize = (name: string): Json => ({
  name,
  in: 'query',
  description: `The maximum number of rows of a page: ${PAGE_SIZE.min} to ${PAGE_SIZE.max}, default ${PAGE_SIZE.default}.`,
  schema: integer({ minimum: PAGE_SIZE.min, maximum: PAGE_SIZE.max }),
});

/** Without `x-disabled`, the documentation page would send the first value by default. */
const disabledExample = ([value]: readonly unknown[]): Json => ({
  examples: { default: { value, 'x-disabled': true } },
});

/** A bound of a time or a date (CONTRACT §4). */
const bound = (name: string, format: 'date' | 'date-time', description: string): Json => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', format },
});

/** Headers that are not parameters, because security, bodies, browsers, proxies or traces define them. */
const UNLISTED_HEADERS = [
  'Accept-Encoding',
  'Access-Control-Request-Headers',
  'Access-Control-Request-Method',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Host',
  'Origin',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Shared-Cache',
  'traceparent',
  'tracestate',
] as const satisfies readonly RequestHeader[];

type Documented = Exclude<RequestHeader, (typeof UNLISTED_HEADERS)[number]>;

const isDocumented = (name: RequestHeader): name is Documented =>
  !UNLISTED_HEADERS.some((unlisted) => unlisted === name);

/** The parameters that several operations share: components of the document. */
export const PARAMETERS = {
  after: {
    name: 'after',
    in: 'query',
    description: 'The `next_cursor` of the previous page, unchanged. Cannot be combined with `page` or `per_page`.',
    schema: { type: 'string', minLength: 1 },
  },
  limit: pageSize('limit'),
  page: {
    name: 'page',
    in: 'query',
    description: 'The page number, from 1. Cannot be combined with `after` or `limit`.',
    schema: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  per_page: pageSize('per_page'),
  ids: {
    name: 'ids',
    in: 'query',
    description: `Only the resources with these ids, up to ${MAX_IDS}, in one page. Can be combined only with \`fields\` and \`expand\`.`,
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 1, maxItems: MAX_IDS, items: jsonSchema(Id) },
  },
  created_from: bound('created_from', 'date-time', 'Only resources created at this time or later (RFC 3339).'),
  created_before: bound('created_before', 'date-time', 'Only resources created before this time (RFC 3339).'),
  sort: {
    name: 'sort',
    in: 'query',
    description: '`id` sorts by creation time, oldest first; `-id` returns the newest first.',
    schema: { title: 'Order', type: 'string', enum: ordersOf({}), default: 'id' },
  },
  dry_run: {
    name: 'dry_run',
    in: 'query',
    description:
      '`true` performs every check and returns the same status and body, but changes nothing. The `id` of a resource ' +
      'that would be created is null, and so is a secret. A success has neither `Location` nor `ETag`.',
    // With `enum`, the documentation page would send the first value by default.
    schema: { type: 'boolean' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A new UUID, or another text that is unique to the operation: up to 255 visible ASCII characters, or a Structured ' +
      'Field string (RFC 9651). Create it once for each operation, and send it with every retry of that operation. A ' +
      'request with the same key and body gets the stored response of the first one and changes nothing, for 24 hours by ' +
      'default.',
    schema: { type: 'string', pattern: '^([!#-~][!-~]{0,254}|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$' },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` that you have read, a list of ETags, or `*`. If the resource has another ETag, nothing changes and the ' +
      'response is 412.',
    schema: { type: 'string', pattern: `^\\s*\\*\\s*$|${ETAG_LIST.source}` },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of your copy, a list of ETags, or `*`. If it is still the current one, the response to a GET is 304 ' +
      'without a body, and a write changes nothing: 412.',
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<Documented, Json> & Record<string, Json>>;

/**
 * A comma-separated list of distinct names.
 * @param title the name of the values in generated clients
 */
const names = (title: string, name: string, description: string, values: readonly string[]): Json => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, items: { title, type: 'string', enum: values } },
  ...disabledExample([values.slice(0, 2)]),
});

const expansion = (operation: Operation, title: string): Json => {
  const relations = operation.relations;
  const scopes = Object.entries(relations).flatMap(([name, { resources }]) => {
    const scope = resources.length > 1 ? undefined : `${resources[0]?.scope}:read`;
    if (scope === operation.scope) return [];
    return `\`${name}\` also requires ${scope ? `the scope \`${scope}\`` : 'the `read` scope of each'}.`;
  });
  return names(title, 'expand', `The related resources to include. ${scopes.join(' ')}`, Object.keys(relations));
};

const filter = (name: string, field: Field, isUnique = false): Json => {
  const accepted = requestSchema(field);
  const items = nonNullable(jsonSchema(accepted));
  const description = `Only resources with this \`${name}\``;
  if (isUnique) {
    const alone = 'It can be combined only with `fields` and `expand`.';
    return { name, in: 'query', description: `Only the resource with this \`${name}\`. ${alone}`, schema: items };
  }
  if (isText(accepted)) return { name, in: 'query', description: `${description}.`, schema: items };
  return {
    name,
    in: 'query',
    description: `${description}, or with one of up to ${MAX_VALUES} values, separated by commas.`,
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 1, maxItems: MAX_VALUES, items },
    ...(Array.isArray(items['enum']) && disabledExample([items['enum'].slice(0, 1)])),
  };
};

/** `sort` and the bounds of a list that dates can sort. */
const sortParameters = (list: ListDeclaration, resource: Resource): Readonly<Record<string, Json>> => {
  const { schema, ...sort } = PARAMETERS.sort;
  const parameters = (list.sorts ?? []).map(({ by, from, before }) => ({
    sort: {
      ...sort,
      description: `${sort.description} ${describeSort(by)}`,
      schema: { ...schema, title: `${resourceName(resource)}Order`, enum: ordersOf(list) },
    },
    [from]: bound(from, 'date', `Only with \`sort=${by}\` or \`-${by}\`: this day or later.`),
    [before]: bound(before, 'date', `Only with \`sort=${by}\` or \`-${by}\`: before this day.`),
  }));
  return Object.assign({}, ...parameters);
};

const describeSort = (by: string): string => `\`${by}\` lists the members that have this date, the earliest first.`;

/** Any name that is not a component is a filter. A query cannot express null. */
const queryParameter = (name: string, operation: Operation, version: Version): Json => {
  const resource = operation.resource;
  const sorting = operation.list && resource && sortParameters(operation.list, resource)[name];
  if (sorting) return sorting;
  if (name in PARAMETERS) return ref('parameters', name);
  if (!resource) throw new Error(`${name} is a parameter of an operation that returns no resource.`);
  const title = resourceName(resource);
  if (name === 'fields')
    return names(versioned(`${title}Field`, version), name, FIELDS, Object.keys(resource.fields[version]));
  if (name === 'expand') return expansion(operation, `${title}${operation.list ? 'Page' : ''}Expansion`);
  return filter(name, resource.fields.v1[name] as Field, operation.list?.lookups?.includes(name));
};

const FIELDS = 'The fields to return, separated by commas in one parameter. Default: all fields.';
const ID: Json = jsonSchema(Id);
