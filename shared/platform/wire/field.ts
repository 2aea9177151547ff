import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#shared/platform/entity.ts';
import type { Violation } from '#shared/platform/problem.ts';
import { Id, type Schema, Timestamp } from './schema.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Field<T = unknown> {
  readonly meaning: string;
  /** The schema of responses. A row is checked with it when it is written (declarations/resource.ts). */
  readonly schema: Schema<T>;
  /** The schema of written rows, if it differs: a value from another row can come from a newer deployment. */
  readonly stored?: Schema<unknown>;
  /** The schema of requests, if it differs: a limit that is newer than stored values belongs here. */
  readonly accepts?: Schema<unknown>;
  /** The schema on create, if it is narrower. */
  readonly onCreate?: Schema<unknown>;
  /** The schema in a merge patch, if it differs. */
  readonly onPatch?: Schema<unknown>;
  readonly access: 'read-only' | 'required' | 'optional';
  /** The value of an optional field that a create or a replacement omits, and of a row without the attribute. */
  readonly fallback?: unknown;
  /** The state of the member decides the value when a replacement omits the field (CONTRACT §4 Success). */
  readonly domainDecidesOnReplace?: boolean;
  /**
   * The service generates the value: with the creation of the member, with the commit that writes it, or for the response
   * of a commit alone. A dry run of that request shows null (CONTRACT §13).
   */
  readonly existsFrom?: 'creation' | 'commit' | 'response';
  /** The stored attributes that the value needs; by default the attribute with the field's name. */
  readonly reads?: readonly string[];
  readonly value?: (row: never) => unknown;
  /** An amount in minor units of the row's `currency`; v2 writes both as one money object (CONTRACT §4 v2). */
  readonly money?: true;
  /** The field of v2, for a value with amounts inside. */
  readonly inV2?: Field;
}

export type BodyKind = 'create' | 'replace' | 'patch';

type FieldOptions = Pick<Field, 'accepts' | 'onCreate' | 'onPatch' | 'domainDecidesOnReplace'>;

export const readOnly = <T>(schema: Schema<T>, meaning: string, options: Pick<Field, 'stored'> = {}): Field<T> => ({
  meaning,
  schema,
  access: 'read-only',
  ...options,
});
export const required = <T>(
  schema: Schema<T>,
  meaning: string,
  options: Pick<FieldOptions, 'accepts'> = {},
): Field<T> => ({
  meaning,
  schema,
  access: 'required',
  ...options,
});
export const optional = <T>(schema: Schema<T>, fallback: T, meaning: string, options: FieldOptions = {}): Field<T> => ({
  meaning,
  schema,
  access: 'optional',
  fallback,
  ...options,
});

/** The domain decides the value when the field is omitted. */
export const optionalWithoutDefault = <T>(schema: Schema<T>, meaning: string): Field<T> => ({
  meaning,
  schema,
  access: 'optional',
});

/** A field that is computed from stored attributes of a row of type R: `value` gets only the attributes of `reads`. */
export const derivedFrom =
  <R>() =>
  <K extends keyof R & string, T>(
    schema: Schema<T>,
    reads: readonly K[],
    value: (row: Pick<R, NoInfer<K>>) => T,
    meaning: string,
  ): Field<T> => ({
    meaning,
    schema,
    access: 'read-only',
    reads,
    value: (row: Pick<R, K>) => (reads.some((name) => row[name] === undefined) ? undefined : value(row)),
  });

/** An amount in minor units; its v1 name ends with `_cents`. */
export type MoneyField<T = unknown> = Field<T> & { readonly money: true };

export const money = <T>(field: Field<T>): MoneyField<T> => ({ ...field, money: true });

export type Fields = Readonly<Record<string, Field>>;

/** Whether a body of this kind that omits the field gets its fallback. */
export const hasFallback = (field: Field, kind: BodyKind): boolean =>
  'fallback' in field && (kind === 'create' || (kind === 'replace' && !field.domainDecidesOnReplace));

/** The schema of the field in a body or a filter. */
export const requestSchema = ({ schema, accepts = schema }: Field): Schema<unknown> => accepts;

export const FIRST = {
  id: {
    ...readOnly(Id, 'The identifier: opaque, and unique among all resources of one collection of the account.'),
    existsFrom: 'creation',
  },
} as const satisfies Fields;

export const LAST = {
  created_at: readOnly(Timestamp, 'When it was created.'),
  updated_at: readOnly(Timestamp, 'When it last changed.'),
} as const satisfies Fields;

/** The stored attributes that a field needs. */
export const readsOf = (name: string, { reads = [name] }: Field): readonly string[] => reads;

/**
 * The value of a field in a response. A row of another deployment can lack an attribute: the field then has its
 * fallback, or null.
 */
export const valueFor = (name: string, field: Field, row: Row): unknown => {
  // The cast to `never`: fields of all row types share one type. `derivedFrom` checks the type of the row.
  const value = field.value ? field.value(row as never) : row[name];
  return value === undefined ? (field.fallback ?? null) : value;
};

/** The stored attributes that these fields need (§4 Partial responses 4). */
export const attributesOf = (fields: Fields, names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => fields[name]?.reads ?? [name])),
];

/**
 * Serializes rows: all fields, or the fields with these names. It does not check the values: rows are checked when they
 * are written, and a newer or an older deployment may have written other values.
 */
export const createSerializer = (
  fields: Fields,
  names: readonly string[] = Object.keys(fields),
): ((row: Row) => Record<string, unknown>) => {
  const selected = Object.entries(fields).filter(([name]) => names.includes(name));
  return (row) => {
    const result: Record<string, unknown> = {};
    for (const [name, field] of selected) {
      const value = valueFor(name, field, row);
      result[name] = field.value ? value : sortMembers(value);
    }
    return result;
  };
};

/** Sorts members by name: DynamoDB's maps have no order, but a strong ETag identifies a sequence of bytes. */
const sortMembers = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, member]) => [name, sortMembers(member)]),
      )
    : value;

/** A body may have any value of {@link FIRST} and {@link LAST}, so that a body that was read creates a copy. */
export const isCompared = (name: string, { access }: Field): boolean =>
  access === 'read-only' && !(name in FIRST || name in LAST);

/**
 * The read-only fields of a creation's body that have another value than the created member (CONTRACT §4, R).
 * @param pointer of the body
 */
export const contradictions = (body: unknown, fields: Fields, member: Row, pointer = ''): Violation[] =>
  isObject(body)
    ? Object.entries(fields).flatMap(([name, field]): Violation[] => {
        if (!isCompared(name, field) || !Object.hasOwn(body, name)) return [];
        const value = field.existsFrom ? null : valueFor(name, field, member);
        if (isEqual(body[name], value)) return [];
        const detail = `is read-only: it must be absent or ${JSON.stringify(value)}`;
        return [{ pointer: `${pointer}/${name}`, code: 'read-only', detail }];
      })
    : [];

/** A money object may omit the currency (CONTRACT §12). */
const isEqual = (sent: unknown, value: unknown): boolean =>
  isDeepStrictEqual(sent, value) ||
  (isObject(sent) && isObject(value) && isDeepStrictEqual({ currency: value['currency'], ...sent }, value));
