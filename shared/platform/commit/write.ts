import type { Attributes, Condition } from '#shared/platform/dynamodb/expression.ts';
import type { PlainCode } from '#shared/platform/problem.ts';
import type { Scope, TableName } from '#shared/vocabulary.ts';
import type { ResourceChange } from './change.ts';

/**
 * The meaning of a failed condition. After `version-conflict` (the item has changed since it was read) and
 * `id-collision` (the new id is taken) the handler runs again. A code becomes the response.
 */
export type ConditionFailure =
  | 'version-conflict'
  | 'id-collision'
  | {
      readonly code: PlainCode;
      readonly detail?: string;
      readonly members?: Readonly<Record<string, unknown>>;
      /** A caller with this scope sees the id of the stored item, as `conflicting_id`. */
      readonly idScope?: Scope;
    };

/** `add` changes counters, which do not belong to the item's version. */
export type Change =
  | { readonly put: Attributes }
  | { readonly update: { readonly set?: Attributes; readonly remove?: readonly string[] } }
  | { readonly add: Attributes }
  | { readonly remove: true }
  | { readonly check: true };

/** One action of a transaction, as data until the commit sends it. */
export type ConditionalChange = Change & {
  readonly table: TableName;
  readonly key: Attributes;
  readonly condition: Condition;
};

export type Write = ConditionalChange & {
  readonly onConditionFailed: ConditionFailure;
  /** The change of a resource that becomes an event (CONTRACT §14). */
  readonly change?: ResourceChange | undefined;
};
