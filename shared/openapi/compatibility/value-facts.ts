import type { Json } from '#shared/openapi/json-schema.ts';
import type { Fact } from './facts.ts';

/** Who writes a value: a client, in a request, or the service, in a response. */
export type Side = 'request' | 'response';

export interface Api {
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** The names of the schemas of responses. They have lines of their own, such as `response CustomerV1`. */
  readonly named: Set<string>;
}

/** The facts of a value. A limit of a response is no fact: a larger value exists only after a client has sent it. */
export function* valueFacts(part: string, schema: Json, side: Side, api: Api): Generator<Fact> {
  const name = nameOf(schema);
  // A client that sends neither `fields` nor `dry_run` reads this value.
  const other = schema['x-without-fields'] ?? schema['x-without-dry-run'] ?? (name && resolve(schema, api));
  if (name && side === 'response') {
    api.named.add(name);
    yield [part, `is ${name}`];
  } else if (other) yield* valueFacts(part, other as Json, side, api);
  else {
    yield* typeFacts(part, schema, side);
    for (const branch of branchesOf(schema)) yield* valueFacts(part, branch, side, api);
    yield* memberFacts(part, schema, side, api);
    if (side === 'request') yield* limitFacts(part, schema, api);
  }
}

export const nameOf = ({ $ref }: Json): string | undefined => ($ref as string | undefined)?.split('/').at(-1);

/** The referenced object, with the keywords next to the reference. */
export const resolve = ({ $ref, ...own }: Json, { components }: Api): Json => {
  const [, , kind = '', name = ''] = String($ref ?? '').split('/');
  return name ? { ...components[kind]?.[name], ...own } : own;
};

/** A member that a request must have, or that a response can lack. */
export function* presence(owner: string, name: string, part: string, required: boolean, side: Side): Generator<Fact> {
  if (required && side === 'request') yield [owner, `must have ${name}`];
  if (!required && side === 'response') yield [part, 'sometimes absent'];
}

const branchesOf = ({ anyOf = [], oneOf = [], allOf = [] }: Json): Json[] => [anyOf, oneOf, allOf].flat() as Json[];

function* typeFacts(part: string, schema: Json, side: Side): Generator<Fact> {
  const { type, enum: list, const: value, readOnly, format } = schema;
  const values = [list ?? value ?? []].flat().filter((one) => one !== null);
  const isAny = type === undefined && values.length === 0 && branchesOf(schema).length === 0;
  const types = [type ?? (isAny ? 'any value' : [])].flat();
  const named = types.filter((one) => one !== 'null').join(' or ');
  const isFixed = side === 'request' && readOnly;
  if (named) yield [part, isFixed ? `${named} (read-only)` : named];
  if (types.includes('null')) yield [part, side === 'request' ? 'may be null' : 'sometimes null'];
  if (format && side === 'response') yield [part, `format ${format}`];
  for (const one of values) yield [part, side === 'request' ? 'must be one of' : 'one of', String(one)];
}

function* memberFacts(part: string, schema: Json, side: Side, api: Api): Generator<Fact> {
  const { properties = {}, required = [], dependentRequired = {}, items, propertyNames, type } = schema;
  const { additionalProperties: others = type === 'object' && side === 'request' } = schema;
  const members = properties as Record<string, Json>;
  for (const name of new Set([...(required as string[]), ...Object.keys(members)])) {
    yield* presence(part, name, `${part}.${name}`, (required as string[]).includes(name), side);
    if (members[name]) yield* valueFacts(`${part}.${name}`, members[name], side, api);
  }
  for (const [name, needed] of Object.entries(dependentRequired as Record<string, string[]>)) {
    for (const one of needed) yield [part, `${side === 'request' ? 'must have' : 'has'} ${one} if it has ${name}`];
  }
  if (items) yield* valueFacts(`${part}[]`, items as Json, side, api);
  if (others) yield* valueFacts(`${part}.*`, others === true ? {} : (others as Json), side, api);
  if (propertyNames && side === 'request') yield* valueFacts(`${part}.(names)`, propertyNames as Json, side, api);
}

function* limitFacts(part: string, schema: Json, api: Api): Generator<Fact> {
  for (const [keyword, limit] of Object.entries(schema)) {
    // The width of an integer restricts nothing: its maximum does.
    if (STATED.test(keyword) || /^int\d+$/.test(String(limit))) continue;
    yield [part, `must match ${keyword} ${typeof limit === 'object' ? JSON.stringify(limit) : limit}`];
  }
  const { default: value = schema['x-default'], if: condition, then: consequence, else: others } = schema;
  if (value !== undefined) yield [part, `default ${JSON.stringify(value)}`];
  if (!condition) return;
  // A condition of an item on the rest of the value is a fact of the item.
  const { properties, contains } = condition as Record<string, Record<string, Json>>;
  const [[name, item] = []] = Object.entries(properties ?? { '[]': contains as Json });
  if (item?.['const'] === undefined) throw new Error(`No line for the condition ${JSON.stringify(condition)}.`);
  for (const [inner, text, one] of valueFacts('then', consequence as Json, 'request', api)) {
    const path = `${part}${properties ? '.' : ''}${name} ${item['const']}`;
    if (text !== 'any value') yield one ? [path, `${inner} ${text}`, one] : [path, `${inner} ${text}`];
  }
  yield* limitFacts(part, (others ?? {}) as Json, api);
}

/** The keywords of other facts, and of texts, which are no facts. Any other keyword is a limit. */
const STATED =
  /^(type|enum|const|(any|all|one)Of|readOnly|properties|required|dependentRequired|items|additionalProperties|propertyNames|default|if|then|else|title|description|examples?|deprecated|writeOnly|x-.*)$/;
