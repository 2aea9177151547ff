import type { AccountState } from '#infra/operations/audit/account-state.ts';
import type { Stores } from '#shared/invoicing/stores.ts';
import type { ResourceChange } from '#shared/platform/commit/change.ts';
import type { Origin } from '#shared/platform/commit/outbox-row.ts';
import type { ConditionalChange, Write } from '#shared/platform/commit/write.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { CheckRow } from '#shared/platform/dynamodb/client.ts';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** A wrong value, and how it is derived again. */
export interface Finding {
  readonly table: TableName | 'files';
  readonly id: number | string;
  readonly detail: string;
  /**
   * The values that show the finding. A second look must see the same values: versions only grow and ids are never used
   * again, so equal values in both looks existed at the same time.
   */
  readonly evidence: unknown;
  /** Absent when the right value does not follow from the facts. Resolves to false when a row has changed meanwhile. */
  readonly repair?: Repair | undefined;
}

export type Repair = (context: RepairContext) => Promise<boolean>;

export interface RepairContext extends Pick<WorkerContext, 'now' | 'newId' | 'remaining'> {
  readonly account: string;
  readonly stores: Stores;
  /** Recorded in the events of the repairs. */
  readonly origin: Origin;
  /** Commits all writes or none, with the events of their changes. */
  readonly commit: (decide: () => readonly Write[]) => Promise<boolean>;
  /** Throws if the event is not valid. */
  readonly checkEvent: CheckRow;
}

/** An invariant of an account's data. */
export interface Check {
  readonly name: string;
  /** The condition that a finding violates. */
  readonly holds: string;
  /** How `--repair` restores it; absent when nobody but an operator can. */
  readonly repairs?: string;
  /** While it has a finding, no later check is repaired: its repair could make the finding worse. */
  readonly blocks?: true;
  readonly find: (state: AccountState) => readonly Finding[];
}

type Unconditional = ConditionalChange extends infer C ? (C extends unknown ? Omit<C, 'condition'> : never) : never;

/** The text of a row that a repair adds. */
export const REPAIR_TEXT = 'Restored after a loss of data.';

/** A write that changes nothing if the row has changed since it was read. */
export const conditional = (write: Unconditional, clauses: readonly Clause[]): Write =>
  ({ ...write, condition: { clauses }, onConditionFailed: 'version-conflict' }) as Write;

/** Adds a change to the first of some writes, so that the commit stores its event. */
export const withChange = (writes: readonly Write[], change: ResourceChange): Write[] =>
  writes.map((write, i) => (i === 0 ? { ...write, change } : { ...write, change: undefined }));
