import type { Json } from '../json-schema.ts';
import { type Direction, KEYWORD_RULES } from './keyword-rules.ts';
import { type Branch, branchesOf, resolve } from './resolve.ts';
import { conditionsOf, dependenciesOf, isOfNewValue, typesOf, valuesOf } from './schema-parts.ts';

/*
 * Finds the changes of a schema that can break a client. A request that a client may send today must remain valid. A
 * value that a client reads today must remain present, in the same form.
 */

export interface Comparison {
  readonly released: Json;
  readonly current: Json;
  readonly direction: Direction;
  /** The changes of each pair of schemas that was compared. Operations share most of their schemas. */
  readonly known: Map<Json, Map<Json, Change[]>>;
}

export interface Change {
  /** The path of the field, such as `data[].status`; empty for the value itself. */
  readonly field: string;
  readonly text: string;
}

/**
 * The value without a query parameter that changes its form: `fields` (docs/decisions/0040-a-get-has-one-response-schema.md)
 * or `dry_run`. A client that does not send the parameter reads this value.
 */
const wholeOf = (schema: Json): Json | undefined =>
  (schema['x-without-fields'] ?? schema['x-without-dry-run']) as Json | undefined;

export const schemaChanges = (released: Json, current: Json, comparison: Comparison): Change[] => {
  const known = comparison.known.get(released) ?? new Map<Json, Change[]>();
  comparison.known.set(released, known);
  const changes = known.get(current) ?? resolvedChanges(released, current, comparison);
  known.set(current, changes);
  return changes;
};

const resolvedChanges = (released: Json, current: Json, comparison: Comparison): Change[] => {
  const was = resolve(released, comparison.released);
  const is = resolve(current, comparison.current);
  if (was !== released || is !== current) return schemaChanges(was, is, comparison);
  const [before, after = is] = [wholeOf(was), wholeOf(is)];
  if (!before) return choiceChanges(was, after, comparison);
  return [...choiceChanges(was, is, comparison), ...choiceChanges(before, after, comparison)];
};

const choiceChanges = (released: Json, current: Json, comparison: Comparison): Change[] => {
  const was = branchesOf(released, comparison.released);
  const is = branchesOf(current, comparison.current);
  return [...typeChanges(was, is, comparison), ...was.flatMap((branch) => branchChanges(branch, was, is, comparison))];
};

const typeChanges = (was: readonly Branch[], is: readonly Branch[], { direction }: Comparison): Change[] => {
  const [before, after] = [was, is].map((branches) => [...new Set(branches.flatMap(typesOf))]) as [string[], string[]];
  return direction === 'request'
    ? before.filter((type) => !after.includes(type)).map((type) => toChange(`no longer allows the type ${type}`))
    : after.filter((type) => !before.includes(type)).map((type) => toChange(`can now have the type ${type}`));
};

/** Compares a branch with the branch of the same name, or else with the most similar branch: it may be renamed. */
const branchChanges = (
  was: Branch,
  released: readonly Branch[],
  is: readonly Branch[],
  comparison: Comparison,
): Change[] => {
  const types = typesOf(was);
  const candidates = is.filter((branch) => typesOf(branch).some((type) => types.includes(type)));
  if (candidates.length === 0) return goneChanges(types, comparison);
  const namesake = candidates.filter(({ name }) => name !== undefined && name === was.name);
  const renamed = candidates.filter(({ name }) => !was.name || !name || released.every((one) => one.name !== name));
  const changes = (namesake.length > 0 ? namesake : renamed)
    .map(({ schema }) => valueChanges(was.schema, schema, comparison))
    .sort((one, other) => one.length - other.length);
  const [best = [], ...others] = changes;
  const isRemoved = changes.length === 0 || (best.length > 0 && others.length > 0 && was.name !== undefined);
  return isRemoved ? [toChange(`${NO_LONGER[comparison.direction]} ${was.name}`)] : best;
};

/** `typeChanges` reports the types of a request. A client needs no change when a response is no longer null. */
const goneChanges = (types: readonly string[], { direction }: Comparison): Change[] =>
  direction === 'request' || types.join() === 'null' ? [] : [toChange(`no longer has the type ${types.join(' or ')}`)];

const valueChanges = (was: Json, is: Json, comparison: Comparison): Change[] => {
  assertKnown(is);
  return [
    ...enumChanges(was, is, comparison),
    ...keywordChanges(was, is, comparison),
    ...memberChanges(propertiesOf(was), propertiesOf(is), comparison),
    ...dependencyChanges(was, is, comparison),
    ...conditionChanges(was, is, comparison),
    ...INNER.flatMap(([keyword, path, any]) =>
      innerChanges(was[keyword], is[keyword], any, comparison).map(({ field, text }) => ({
        field: join(path, field),
        text,
      })),
    ),
  ];
};

export const NO_LONGER = { request: 'no longer allows', response: 'no longer has' };

const toChange = (text: string): Change => ({ field: '', text });

const join = (parent: string, child: string): string =>
  child === '' || child.startsWith('[') ? parent + child : `${parent}.${child}`;

const enumChanges = (was: Json, is: Json, { direction }: Comparison): Change[] => {
  const before = valuesOf(was);
  const after = valuesOf(is);
  if (!before)
    return direction === 'request' && after ? [toChange(`now allows only ${after.map(quote).join(', ')}`)] : [];
  if (!after) return direction === 'response' ? [toChange('can now have any value')] : [];
  return before
    .filter((value) => !after.includes(value))
    .map((value) => toChange(`${NO_LONGER[direction]} ${quote(value)}`));
};

const quote = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

const keywordChanges = (released: Json, current: Json, { direction }: Comparison): Change[] => {
  const [was, is] = [released, current].map(withDefault) as [Json, Json];
  return Object.entries(KEYWORD_RULES[direction])
    .filter(([keyword, breaks]) => breaks(was[keyword], is[keyword]))
    .map(([keyword]) => toChange(`has another ${keyword}: ${quote(was[keyword])} is now ${quote(is[keyword])}`));
};

/** A default that is an object or an array is documented as `x-default`. */
const withDefault = ({ 'x-default': value, ...schema }: Json): Json =>
  value === undefined ? schema : { ...schema, default: value };

/** What has a name, a schema and may be required: a property, a parameter, a header. */
export type Members = Readonly<Record<string, { readonly schema: Json; readonly required: boolean }>>;

export const memberChanges = (was: Members, is: Members, comparison: Comparison): Change[] => [
  ...Object.entries(was).flatMap(([name, member]) => {
    const current = is[name];
    if (!current) return [{ field: name, text: 'is removed' }];
    const changes = schemaChanges(member.schema, current.schema, comparison);
    return changes.map(({ field, text }) => ({ field: join(name, field), text }));
  }),
  ...(comparison.direction === 'request'
    ? requiredOf(is)
        .filter((name) => !was[name]?.required)
        .map((field) => ({ field, text: 'is newly required' }))
    : requiredOf(was)
        .filter((name) => is[name]?.required === false)
        .map((field) => ({ field, text: 'is no longer always present' }))),
];

const requiredOf = (members: Members): string[] => Object.keys(members).filter((name) => members[name]?.required);

const propertiesOf = ({ properties = {}, required = [] }: Json): Members =>
  Object.fromEntries(
    Object.entries(properties as Json).map(([name, schema]) => [
      name,
      { schema: schema as Json, required: (required as string[]).includes(name) },
    ]),
  );

const dependencyChanges = (was: Json, is: Json, { direction }: Comparison): Change[] => {
  const [stated, other, verb] = direction === 'request' ? [is, was, 'must now have'] : [was, is, 'no longer has'];
  return dependenciesOf(stated)
    .filter((dependency) => !dependenciesOf(other).includes(dependency))
    .map((dependency) => toChange(`${verb} ${dependency}`));
};

/** A condition in a response restricts only the service. */
const conditionChanges = (was: Json, is: Json, comparison: Comparison): Change[] => {
  if (comparison.direction === 'response') return [];
  const before = conditionsOf(was);
  return [...conditionsOf(is)].flatMap(([condition, consequence]) => {
    const known = before.get(condition);
    if (known) return valueChanges(known, consequence, comparison);
    return isOfNewValue(JSON.parse(condition) as Json, was) ? [] : [toChange(`is newly restricted if ${condition}`)];
  });
};

/** Keywords for the elements of a value, the path of the elements, and the schema for an absent keyword or `true`. */
const INNER: readonly (readonly [keyword: string, path: string, any: Json])[] = [
  ['items', '[]', {}],
  ['additionalProperties', '*', {}],
  ['propertyNames', '(names)', { type: 'string' }],
];

const innerChanges = (was: unknown = true, is: unknown = true, any: Json, comparison: Comparison): Change[] => {
  if (was === false || (was === true && is === true)) return [];
  const toSchema = (schema: unknown): Json => (schema === true ? any : (schema as Json));
  if (is !== false) return schemaChanges(toSchema(was), toSchema(is), comparison);
  return comparison.direction === 'request' || was !== true ? [toChange('is no longer allowed')] : [];
};

/** @throws Error for a keyword without a rule here, because nobody would notice its change */
const assertKnown = (schema: Json): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword) && !keyword.startsWith('x-'));
  if (unknown.length > 0) throw new Error(`shared/openapi/compatibility has no rule for ${unknown.join(', ')}.`);
};

const KNOWN = new Set([
  ...Object.keys(KEYWORD_RULES.request),
  ...INNER.map(([keyword]) => keyword),
  ...['type', 'enum', 'const', 'properties', 'required', 'dependentRequired', 'if', 'then', 'else'],
  ...['title', 'description', 'example', 'examples', 'deprecated', 'writeOnly'],
]);
