import * as v from 'valibot';
import { type BodyKind, type Field, type Fields, hasFallback, requestSchema } from './field.ts';
import { fromMoney } from './money.ts';
import { type CrossFieldRule, type Entries, list, object, type Schema } from './schema.ts';
import type { Version } from './version.ts';

/** The schemas of a request body; every version parses to the same domain type. */
export type Body<T> = Readonly<Record<Version, Schema<T>>>;

/** Members in the body of the member that they are created with. */
export interface BodyParts {
  readonly fields: Readonly<Record<Version, Fields>>;
  /** The field of a part with the id of the new member; its body does not have it. */
  readonly owner: string;
  readonly max: number;
  /** The rule about the new member and its parts. */
  readonly rule: Readonly<Record<Version, CrossFieldRule>>;
}

interface BodyOptions {
  readonly crossFieldRule?: CrossFieldRule | undefined;
  /** The parts, by the name of the member that lists them. */
  readonly parts?: Readonly<Record<string, BodyParts>>;
}

export const body = <T>(
  fields: Readonly<Record<Version, Fields>>,
  kind: BodyKind,
  { crossFieldRule, parts = {} }: BodyOptions = {},
): Body<T> => {
  const schemaOf = (version: Version) => {
    const lists = Object.entries(parts).map(([name, part]) => [name, listSchema(part, version)]);
    const rules = Object.entries(parts).map(([name, part]) => ruleOf(name, part, version));
    const all = crossFieldRule ? [crossFieldRule, ...rules] : rules;
    return bodySchema(fields[version], kind, Object.fromEntries(lists), all);
  };
  return {
    v1: schemaOf('v1') as Schema<T>,
    v2: v.pipe(schemaOf('v2'), v.transform(fromMoney(fields.v1, kind))) as Schema<T>,
  };
};

const bodySchema = (
  fields: Fields,
  kind: BodyKind,
  lists: Entries,
  rules: readonly CrossFieldRule[],
): Schema<Record<string, unknown>> => {
  const writable: Entries = {};
  const ignored: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.access !== 'read-only') writable[name] = entrySchema(field, kind);
    else ignored.push(name);
  }
  return object({ ...writable, ...lists }, ignored, rules);
};

const entrySchema = (field: Field, kind: BodyKind): v.GenericSchema => {
  const accepts = requestSchema(field);
  if (kind === 'patch') return v.exactOptional(field.onPatch ?? accepts);
  const schema = kind === 'create' ? (field.onCreate ?? accepts) : accepts;
  if (field.access === 'required') return schema;
  return hasFallback(field, kind) ? v.optional(schema, () => field.fallback) : v.exactOptional(schema);
};

const listSchema = ({ fields, owner, max }: BodyParts, version: Version): v.GenericSchema => {
  const without = ({ [owner]: _, ...others }: Fields): Fields => others;
  const part = body({ v1: without(fields.v1), v2: without(fields.v2) }, 'create')[version];
  return v.optional(list(part, { max }), () => []);
};

/** The rule of a list that is not too long. */
const ruleOf = (name: string, { max, rule }: BodyParts, version: Version): CrossFieldRule => ({
  ...rule[version],
  check: (value) => {
    const { [name]: parts } = value;
    return Array.isArray(parts) && parts.length <= max ? rule[version].check(value) : [];
  },
});
