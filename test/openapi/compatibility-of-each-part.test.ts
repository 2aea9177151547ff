import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { breakingChanges } from '#shared/openapi/compatibility/breaking-changes.ts';
import { DOCUMENT } from '#shared/openapi/source.ts';
import { conditional } from '#shared/platform/wire/schema.ts';
import { isDeep } from '#test/support/extent/extent.ts';

/*
 * Each part of the document is removed or narrowed, one at a time. The parts come from the document itself, so that a new
 * endpoint is included. A component is changed within the first operation that uses it.
 */

// biome-ignore lint/suspicious/noExplicitAny: a test changes any part of the document
type Any = any;
type Direction = 'request' | 'response';

/** A change of one member, undefined to remove it; and a part of the message that it must cause. */
type Planting = readonly [holder: Any, key: string, value: unknown, mention: string];

const text = readFileSync(DOCUMENT, 'utf8');
const released: Any = JSON.parse(text);
/** Each planted change is undone after its comparison. */
const current: Any = JSON.parse(text);

const resolved = (node: Any): Any =>
  node.$ref
    ? node.$ref
        .split('/')
        .slice(1)
        .reduce((one: Any, name: string) => one[name], current)
    : node;

const visited = { request: new Set<unknown>(), response: new Set<unknown>() };
const isVisited = (node: unknown, direction: Direction): boolean => {
  const { size } = visited[direction];
  return visited[direction].add(node).size === size;
};

/** Another part of an `allOf` also states the type of these fields. Without one of the two, nothing changes. */
const restated = new Set<unknown>();

const without = (list: readonly unknown[], value: unknown): unknown[] => list.filter((one) => one !== value);

function* ofOperation(operation: Any, sends: Direction, reads: Direction): Generator<Planting> {
  for (const parameter of operation.parameters ?? []) {
    const { name, schema } = resolved(parameter);
    yield [operation, 'parameters', without(operation.parameters, parameter), `parameter "${name}" is removed`];
    yield* ofSchema(schema, sends, name);
  }
  if (operation.requestBody) {
    yield [operation, 'requestBody', undefined, 'request body is removed'];
    yield* ofContent(operation.requestBody, sends);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    yield [operation.responses, status, undefined, `response ${status} is removed`];
    yield* ofResponse(resolved(response), reads);
  }
}

function* ofResponse(response: Any, direction: Direction): Generator<Planting> {
  if (isVisited(response, direction)) return;
  for (const [name, header] of Object.entries<Any>(response.headers ?? {})) {
    yield [response.headers, name, undefined, `header "${name}" is removed`];
    yield* ofSchema(resolved(header).schema, direction, name);
  }
  yield* ofContent(response, direction);
}

function* ofContent({ content = {} }: Any, direction: Direction): Generator<Planting> {
  for (const [type, { schema }] of Object.entries<Any>(content)) {
    yield [content, type, undefined, type];
    yield* ofSchema(schema, direction, '');
  }
}

function* ofSchema(reference: Any, direction: Direction, name: string): Generator<Planting> {
  const schema = resolved(reference);
  if (isVisited(schema, direction)) return;
  yield* direction === 'request' ? ofRequestValue(schema, name) : ofResponseValue(schema, name);
  yield* ofValues(schema);
  for (const [field, inner] of Object.entries<Any>(schema.properties ?? {})) {
    if (restated.has(inner)) continue;
    yield [schema.properties, field, undefined, field];
    yield* ofSchema(inner, direction, field);
  }
  const { items, additionalProperties, propertyNames, anyOf = [], allOf = [] } = schema;
  const whole = schema['x-without-fields'] ?? schema['x-without-dry-run'];
  for (const inner of [items, additionalProperties, propertyNames, whole, ...anyOf]) {
    if (typeof inner === 'object') yield* ofSchema(inner, direction, name);
  }
  yield* ofParts(allOf, direction, name);
}

/** The parts of an allOf: a reference, and fewer values for some of its fields. */
function* ofParts(allOf: Any[], direction: Direction, name: string): Generator<Planting> {
  const bases = allOf.filter(({ $ref }) => $ref);
  for (const [field, schema] of allOf.flatMap(({ properties = {} }) => Object.entries<Any>(properties))) {
    yield* ofValues(schema);
    if (schema.type) for (const base of bases) restated.add(resolved(base).properties[field]);
  }
  for (const base of bases) yield* ofSchema(base, direction, name);
}

function* ofValues(schema: Any): Generator<Planting> {
  for (const value of without(schema.enum ?? [], null)) {
    yield [schema, 'enum', without(schema.enum, value), JSON.stringify(value)];
  }
}

function* ofRequestValue(schema: Any, name: string): Generator<Planting> {
  const types = [schema.type ?? []].flat();
  for (const type of types) yield [schema, 'type', without(types, type), `no longer allows the type ${type}`];
  for (const branch of schema.anyOf ?? []) yield [schema, 'anyOf', without(schema.anyOf, branch), name];
  for (const keyword of Object.keys(schema).filter((one) => /^(min|max)/.test(one))) {
    yield [schema, keyword, schema[keyword] + (keyword.startsWith('min') ? 1 : -1), `another ${keyword}`];
  }
  yield* ofConditions(schema, name);
  const { required = [], properties = {} } = schema;
  for (const field of Object.keys(properties).filter((one) => !required.includes(one))) {
    yield [schema, 'required', [...required, field], `${field}" is newly required`];
  }
}

function* ofConditions(schema: Any, name: string): Generator<Planting> {
  const added = conditional({ minProperties: 1 }, { maxProperties: 1 });
  if (schema.if) yield [schema, 'if', { contains: { const: 'other' } }, 'is newly restricted if'];
  for (let one = schema; one.if; one = one.else) {
    yield* ofRequestValue(one.then, name);
    for (const [field, inner] of Object.entries<Any>(one.then.properties ?? {}))
      yield* ofSchema(inner, 'request', field);
    if (!one.else?.if) yield [one, 'else', added, 'is newly restricted if {"minProperties":1}'];
  }
}

function* ofResponseValue(schema: Any, name: string): Generator<Planting> {
  const types = [schema.type ?? []].flat();
  const another = types.includes('boolean') ? 'string' : 'boolean';
  if (types.length > 0) yield [schema, 'type', [...types, another], `can now have the type ${another}`];
  for (const branch of schema.anyOf ?? []) {
    // A field that is no longer null needs no change of a client.
    if (branch.type !== 'null') yield [schema, 'anyOf', without(schema.anyOf, branch), name];
  }
  for (const field of schema.required ?? []) {
    yield [schema, 'required', without(schema.required, field), `${field}" is no longer always present`];
  }
}

const operations = (['paths', 'webhooks'] as const).flatMap((section) =>
  Object.entries<Any>(current[section]).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ section, path, method, name: `${method} ${path}` })),
  ),
);
type Operation = (typeof operations)[number];

/** The document with one operation, which is compared faster. */
const only = (document: Any, { section, path, method }: Operation): Any => ({
  paths: {},
  webhooks: {},
  [section]: { [path]: { [method]: document[section][path][method] } },
  components: document.components,
});

const isReported = (operation: Operation, [holder, key, value, mention]: Planting): boolean => {
  const { [key]: before } = holder;
  if (value === undefined) delete holder[key];
  else holder[key] = value;
  const isFound = (was: Any, is: Any) => breakingChanges(was, is).some((line) => line.includes(mention));
  // The first operation that uses the schema of problems does not have all codes.
  const found = isFound(only(released, operation), only(current, operation)) || isFound(released, current);
  if (before === undefined) delete holder[key];
  else holder[key] = before;
  return found;
};

/** npm test makes a part of the changes. */
const EVERY = isDeep ? 1 : 30;

/** Problems of paths that are not in the document. */
const CODES_WITHOUT_OPERATION = ['"version-required"', '"method-not-allowed"'];

test.each(operations)('$name: each removed or narrowed part is reported [CONTRACT §11]', (operation) => {
  const { section, path, method } = operation;
  const [sends, reads] = section === 'paths' ? (['request', 'response'] as const) : (['response', 'request'] as const);
  const { [path]: item } = current[section];
  const removal: Planting = [item, method, undefined, 'is removed'];
  const plantings = [removal, ...ofOperation(item[method], sends, reads)];
  const planted = plantings.filter((_, i) => i % EVERY === 0);
  const unreported = planted.filter((planting) => !isReported(operation, planting)).map(([, , , mention]) => mention);
  expect(unreported.filter((mention) => !CODES_WITHOUT_OPERATION.includes(mention))).toEqual([]);
  expect(plantings.length).toBeGreaterThan(5);
});

test('after all changes: the document is restored', () => {
  expect(current).toEqual(released);
});

/** Adds a member wherever the document permits one, and another value to each enum. */
const addEverywhere = (node: Any): void => {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, inner] of Object.entries<Any>(node)) {
    if (key !== 'examples' && key !== 'default') addEverywhere(inner);
  }
  if (Array.isArray(node.enum)) node.enum.push('added');
  if (node.type === 'object' && node.properties) node.properties.added = { type: 'string' };
  if (node.content) node.content['text/added'] = {};
  if (node.headers) node.headers.Added = { schema: { type: 'string' } };
  if (node.operationId && node.responses) {
    node.responses[299] = { description: 'Added.' };
    node.parameters = [...(node.parameters ?? []), { name: 'added', in: 'query', schema: { type: 'string' } }];
  }
};

test('additions to every operation, response and schema: pass [CONTRACT §11]', () => {
  const added = JSON.parse(text);
  addEverywhere(added);
  expect(JSON.stringify(added).match(/added/gi)?.length).toBeGreaterThan(500);
  expect(breakingChanges(released, added)).toEqual([]);
});
