import type { Schema } from './schema.ts';

/** A stored row, by attribute. */
export type Row = Readonly<Record<string, unknown>>;

/** One field of a resource in one version: how it is written, and what a client may send for it. */
export interface Field<T = unknown> {
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
  readonly keeps?: boolean;
  /** The stored attributes that it is made of, by default the one of its name. */
  readonly reads?: readonly string[];
  readonly value?: (row: never) => unknown;
}

type Options = Pick<Field, 'onCreate' | 'onPatch' | 'keeps'>;

export const readOnly = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'read-only' });
export const required = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'required' });
export const optional = <T>(schema: Schema<T>, fallback: T, options: Options = {}): Field<T> => ({
  schema,
  access: 'optional',
  fallback,
  ...options,
});

/** An optional field that has no value of its own when it is left out: the domain decides. */
export const omissible = <T>(schema: Schema<T>): Field<T> => ({ schema, access: 'optional' });

/** A read-only field that is computed from stored attributes. */
export const derived = <R, K extends keyof R & string, T>(
  schema: Schema<T>,
  reads: readonly K[],
  value: (row: Pick<R, K>) => T,
): Field<T> => ({ schema, access: 'read-only', reads, value });

export type Fields = Readonly<Record<string, Field>>;

/** What a row holds for a field. */
export const held = (name: string, field: Field, row: Row): unknown =>
  field.value ? field.value(row as never) : row[name];
