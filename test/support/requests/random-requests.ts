import { randomUUID } from 'node:crypto';
import type { GenericSchema } from 'valibot';
import { type Json, jsonSchema } from '#shared/openapi/json-schema.ts';
import type { Resource, Sort } from '#shared/platform/declarations/resource.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Field } from '#shared/platform/wire/field.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Answer, Sent } from '#test/support/service/client.ts';
import type { Ids } from './examples.ts';
import { severalValues } from './extremes.ts';
import { matrix, nameInPaths, readableResources } from './requests.ts';

const CREATIONS = 4;

/** Returns a random number in [0, 1). */
export type Chance = () => number;

export const below = (chance: Chance, limit: number): number => Math.floor(chance() * limit);
export const pick = <T>(chance: Chance, values: readonly T[]): T => values[below(chance, values.length)] as T;
const some = <T>(chance: Chance, share: number, values: readonly T[]): T[] => values.filter(() => chance() < share);

/** Every operation under every version. Operations that create occur more often, so that ids of resources exist. */
export const weightedMatrix = matrix.flatMap((row) => {
  const { 201: created, 202: accepted } = row[3].returns;
  const isCreation = created || (accepted && !row[3].hasId);
  return Array<typeof row>(isCreation ? CREATIONS : 1).fill(row);
});

export interface Request {
  readonly target: string;
  readonly sent: Sent & { readonly method: string };
}

/** The resources that requests name. It is small, so that many requests concern the same resource. */
export class Pool {
  readonly #known = new Map<string, Ids[]>([...readableResources.keys()].map((name) => [name, []]));
  readonly #capacity: number;

  constructor(capacity = 12) {
    this.#capacity = capacity;
  }

  has(name: string): boolean {
    return this.#known.has(nameInPaths(name));
  }

  /** Picks a resource and returns its id and the ids that it names; the newest resource in half of the cases. */
  pick(name: string, chance: Chance): Ids {
    const known = this.#known.get(nameInPaths(name)) ?? [];
    return (chance() < 1 / 2 ? known.at(-1) : pick(chance, known)) ?? { [nameInPaths(name)]: 1 };
  }

  /** Adds the resource that an operation created, and drops the oldest of its kind when the pool is full. */
  add(operation: Operation, { status, json }: Answer): void {
    if (status !== 201 && status !== 202) return;
    const [, collection] = operation.path.split('/');
    const [name = ''] = [...readableResources].find(([, one]) => one.collection === collection) ?? [];
    const known = this.#known.get(name);
    known?.push({ ...json, [name]: json.id });
    if (known && known.length > this.#capacity) known.shift();
  }
}

/** The source of random values and of existing ids. */
interface Source {
  readonly chance: Chance;
  readonly pool: Pool;
  /** The ids of the resource in the path, and of the resources that it names. */
  readonly ids: Ids;
  /** The probability that an optional member is sent. */
  readonly share: number;
}

const DATES = ['2027-01-31', '2028-02-29'];
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  date: DATES,
  'date-time': ['2026-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'],
};
const TEXTS = ['a', 'b', 'ada@example.com'];
/** Texts that rules check, by the names of their fields. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  url: ['https://example.com/hooks'],
  prefix: ['', 'A-', 'B/'],
};
const CURRENCIES = ['USD', 'USD', 'USD', 'EUR'];
const MAX_INTEGER = 30;
const DECIMALS = [0, 0.1, 0.5, 1, 1.005, 19];

const isCurrency = ({ pattern }: Json): boolean => pattern === '^[A-Z]{3}$';

/** Returns an id that belongs to the path in three of four cases. */
const idOf = (name: string, { chance, pool, ids }: Source): number =>
  (chance() < 3 / 4 && ids[name]) || (pool.pick(name, chance)[nameInPaths(name)] as number);

/** Draws a value that a JSON Schema allows. Small numbers and few texts sometimes break a rule. */
const drawValue = (name: string, schema: Json, source: Source): unknown => {
  const { chance, pool } = source;
  const { anyOf, enum: values, format = '' } = schema as { anyOf?: Json[]; enum?: unknown[]; format?: string };
  const types = [schema['type']].flat();
  if ((anyOf || types.includes('null')) && chance() < 1 / 4) return null;
  if (anyOf) return drawValue(name, anyOf[0] as Json, source);
  if (pool.has(name)) return idOf(name, source);
  if (values)
    return pick(
      chance,
      values.filter((one) => one !== null),
    );
  if (isCurrency(schema)) return pick(chance, CURRENCIES);
  const [type] = types.filter((one) => one !== 'null');
  if (type === 'integer') return Math.max(Number(schema['minimum'] ?? 0), below(chance, MAX_INTEGER));
  if (type === 'number') return pick(chance, DECIMALS);
  if (type === 'string') {
    const lists = severalValues(schema['pattern']);
    return pick(chance, lists.length > 0 ? lists : (NAMED[name] ?? STRINGS[format] ?? TEXTS));
  }
  if (type === 'boolean') return chance() < 1 / 2;
  if (type === 'array') return [drawValue(name, schema['items'] as Json, source)];
  if (schema['properties']) return drawObject(schema, source);
  if (type === 'object') return pick(chance, [{}, { key: pick(chance, TEXTS) }]);
  throw new Error(`No value can be drawn for ${name}: ${JSON.stringify(schema)}`);
};

const drawObject = (schema: Json, source: Source): Record<string, unknown> => {
  const { properties, required = [] } = schema as { properties: Record<string, Json>; required?: string[] };
  const names = Object.keys(properties).filter((name) => !properties[name]?.['readOnly']);
  const sent = names.filter((name) => required.includes(name) || source.chance() < source.share);
  return Object.fromEntries(sent.map((name) => [name, drawValue(name, properties[name] as Json, source)]));
};

const schemas = new WeakMap<GenericSchema, Json>();
const schemaOf = (schema: GenericSchema): Json => {
  const known = schemas.get(schema) ?? jsonSchema(schema);
  schemas.set(schema, known);
  return known;
};

/** Draws the parameters of a list that a date sorts. */
const drawSort = ({ by, filters, from, before }: Sort, { v1 }: Resource['fields'], source: Source) => {
  const { chance } = source;
  const values = filters.map((name) => [name, drawValue(name, schemaOf((v1[name] as Field).schema), source)]);
  const bounds = some(chance, 1 / 2, [from, before]).map((name) => [name, pick(chance, DATES)]);
  return { sort: pick(chance, [by, `-${by}`]), ...Object.fromEntries([...values, ...bounds]) };
};

const drawParameters = (
  operation: Operation,
  { fields }: Resource,
  version: Version,
  source: Source,
): Record<string, unknown> => {
  const { chance } = source;
  const { list } = operation;
  const selected = some(chance, 1 / 3, Object.keys(fields[version]));
  const expanded = some(chance, 1 / 3, Object.keys(operation.relations));
  const selection = {
    ...(selected.length > 0 && chance() < 1 / 3 && { fields: selected.join() }),
    ...(expanded.length > 0 && { expand: expanded.join() }),
  };
  if (!list) return selection;
  if (list.sorts && chance() < 1 / 2) return { ...selection, ...drawSort(pick(chance, list.sorts), fields, source) };
  const filters = some(chance, 1 / 3, list.filters).map((name) => {
    const { schema } = fields.v1[name] ?? {};
    return [name, schema && (drawValue(name, schemaOf(schema), source) ?? 'a')];
  });
  const styles = [{}, { limit: 1 + below(chance, 100) }, { page: 1 + below(chance, 4), per_page: 5 }];
  const style = pick(chance, version === 'v1' ? styles : styles.slice(0, 2));
  return { ...selection, ...Object.fromEntries(filters), ...style, ...pick(chance, [{}, { sort: '-id' }]) };
};

const drawHeaders = ({ idempotency }: Operation, method: string, chance: Chance): NonNullable<Sent['headers']> => {
  if (method === 'GET') return pick(chance, [{}, {}, { 'if-none-match': '"1"' }]);
  if (method === 'POST') return idempotency || chance() < 1 / 2 ? { 'idempotency-key': randomUUID() } : {};
  return pick(chance, [{}, {}, {}, { 'if-match': pick(chance, ['*', '"1"', '"2"']) }]);
};

/** Draws a well-formed request. The state of the resources may permit it or not. */
export const drawRequest = (operation: Operation, version: Version, pool: Pool, chance: Chance): Request => {
  const { method, path } = operation;
  // The rules rarely permit a PATCH of many members at once.
  const share = method === 'PATCH' ? 1 / 5 : 1 / 2;
  const names = path.match(/(?<=\{)\w+/g) ?? [];
  const source = { chance, pool, share, ids: pool.pick(names.at(-1) ?? '', chance) };
  const resource = operation.returns[200];
  const parameters = method === 'GET' && resource ? drawParameters(operation, resource, version, source) : {};
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(idOf(name, source)));
  const body = operation.body && drawObject(schemaOf(operation.body[version]), source);
  return {
    target: `/${version}${named}${query.size > 0 ? `?${query}` : ''}`,
    sent: { method, headers: drawHeaders(operation, method, chance), ...(body && { body }) },
  };
};
