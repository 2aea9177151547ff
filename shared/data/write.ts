import type { Refusal, RefusalCode } from '#shared/domain/refusal.ts';
import type { TableName } from './tables.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** One clause of a condition: what must hold of one attribute of the stored item. */
export type Clause = readonly [attribute: string, is: 'absent' | 'present'] | readonly [string, '=' | '<=', unknown];

export interface Condition {
  readonly match: 'all' | 'any';
  readonly clauses: readonly Clause[];
}

/**
 * What a write that does not hold means: a refusal, with or without a detail, `stale` (the item has changed since it was read) or `clash`
 * (the new id is taken). The last two are for the pipeline to settle.
 */
export type Otherwise = Refusal | RefusalCode | 'stale' | 'clash';

/** What a write does to the item. */
export type Change =
  | { readonly put: Attributes }
  | { readonly update: { readonly set?: Attributes; readonly remove?: readonly string[]; readonly add?: Attributes } }
  | { readonly remove: true }
  | { readonly require: true };

/** A write as data, which names its own failure: nothing is sent until the commit. */
export type Write = Change & {
  readonly table: TableName;
  readonly key: Attributes;
  readonly when: Condition;
  readonly otherwise: Otherwise;
};
