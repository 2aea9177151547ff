import { Id, type Schema, Timestamp } from './schema.ts';

/** A stored row, by attribute. */
export type Row = Readonly<Record<string, unknown>>;

/** One field of a resource in one version: how it is written, and what a client may send for it. */
export interface Field<T = unknown> {
  /** What it means to a client: its description in the OpenAPI document. */
  readonly meaning: string;
  /** What the field holds in every response; a value that does not fit is a fault, never sent. */
  readonly schema: Schema<T>;
  /** What a client may send, where that is not the same. */
  readonly accepts?: Schema<unknown>;
  /** What a client may send on create, where that is narrower. */
  readonly onCreate?: Schema<unknown>;
  /** What a client may send in a merge patch, where that is not the same. */
  readonly onPatch?: Schema<unknown>;
  readonly access: 'read-only' | 'required' | 'optional';
  /** The value of an optional field left out of a create or a replacement. */
  readonly fallback?: unknown;
  /** Left out of a replacement, the field is the domain's to decide (CONTRACT §4 Success). */
  readonly domainDecidesOnReplace?: boolean;
  /** The stored attributes that it is made of, by default the one of its name. */
  readonly reads?: readonly string[];
  readonly value?: (row: never) => unknown;
  /** An amount in minor units of the row's `currency`; v2 writes both as one money object (CONTRACT §4 v2). */
  readonly money?: true;
}

type Options = Pick<Field, 'onCreate' | 'onPatch' | 'domainDecidesOnReplace'>;

export const readOnly = <T>(schema: Schema<T>, meaning: string): Field<T> => ({ meaning, schema, access: 'read-only' });
export const required = <T>(schema: Schema<T>, meaning: string): Field<T> => ({ meaning, schema, access: 'required' });
export const optional = <T>(schema: Schema<T>, fallback: T, meaning: string, options: Options = {}): Field<T> => ({
  meaning,
  schema,
  access: 'optional',
  fallback,
  ...options,
});

/** An optional field that has no value of its own when it is left out: the domain decides. */
export const optionalWithoutDefault = <T>(schema: Schema<T>, meaning: string): Field<T> => ({
  meaning,
  schema,
  access: 'optional',
});

/** A read-only field that is computed from stored attributes. */
export const derived = <R, K extends keyof R & string, T>(
  schema: Schema<T>,
  reads: readonly K[],
  value: (row: Pick<R, K>) => T,
  meaning: string,
): Field<T> => ({ meaning, schema, access: 'read-only', reads, value });

/** A field that holds an amount in minor units: its v1 name ends with `_cents`. */
export type MoneyField<T = unknown> = Field<T> & { readonly money: true };

export const money = <T>(field: Field<T>): MoneyField<T> => ({ ...field, money: true });

export type Fields = Readonly<Record<string, Field>>;

/** The fields that every resource begins with. */
export const FIRST = {
  id: readOnly(Id, 'The identifier: opaque, and unique among all resources of one collection of the account.'),
} as const satisfies Fields;

/** The fields that every resource ends with. */
export const LAST = {
  created_at: readOnly(Timestamp, 'When it was created.'),
  updated_at: readOnly(Timestamp, 'When it last changed.'),
} as const satisfies Fields;

/** What a row holds for a field. */
export const valueFor = (name: string, field: Field, row: Row): unknown =>
  field.value ? field.value(row as never) : row[name];
