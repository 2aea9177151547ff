import { isDeepStrictEqual } from 'node:util';
import type { VersionedId } from '#shared/platform/entity.ts';

/** How the changes of a resource become events (CONTRACT §14). */
export interface EventDeclaration<Row = never> {
  /**
   * The last part of the event type after a change to this status, or from one status to another (`paid>open`); for other
   * changes it is `updated`.
   */
  readonly statuses?: Readonly<Record<string, string>>;
  /** The v1 fields that are computed from stored attributes. */
  readonly computed?: Readonly<Record<string, (row: Row) => unknown>>;
  /** The stored attributes that are not fields. */
  readonly hidden?: readonly (keyof Row & string)[];
  /**
   * The stored attributes that change without an event, from 0 or null on. An event of another change also names these
   * attributes.
   */
  readonly progress?: readonly (keyof Row & string)[];
}

/** A committed change of one resource, as the outbox stores it. */
export interface ResourceChange {
  /** For example `order_line.updated`. */
  readonly type: string;
  readonly resource_type: string;
  readonly resource_id: number;
  /** The version after the change. A deletion has the last version. */
  readonly version: number;
  readonly isDeletion?: true;
  /** The names of the v1 fields that changed. */
  readonly changed: readonly string[];
}

/** A resource whose changes become events. */
export interface Subject extends EventDeclaration {
  /** For example `order_line`. */
  readonly type: string;
}

/** Every event type of a resource. */
export const eventTypesOf = ({ type, statuses = {} }: Subject): string[] =>
  ['created', 'updated', 'deleted', ...Object.values(statuses)].map((suffix) => `${type}.${suffix}`);

/**
 * @param suffix the last part of the event type
 * @returns undefined for a resource without events
 */
export const changeOf = (
  subject: Subject | undefined,
  suffix: string,
  { id, version }: VersionedId,
  changed: readonly string[] = [],
): ResourceChange | undefined => {
  if (!subject) return undefined;
  const { type: resource_type } = subject;
  const isDeletion = suffix === 'deleted' && ({ isDeletion: true } as const);
  return { type: `${resource_type}.${suffix}`, resource_type, resource_id: id, version, ...isDeletion, changed };
};

/** @returns undefined for a change that gives no event */
export const updateOf = (
  subject: Subject | undefined,
  before: VersionedId,
  after: VersionedId,
): ResourceChange | undefined => {
  if (!subject) return undefined;
  const [old, now] = [toPublishedValues(subject, before), toPublishedValues(subject, after)];
  const changed = Object.keys({ ...old, ...now }).filter((name) => !isDeepStrictEqual(old[name], now[name]));
  const { statuses = {}, progress = [] } = subject;
  const progressed: readonly string[] = progress.filter((name) => now[name]);
  if (progress.length > 0 && changed.every((name) => progressed.includes(name))) return undefined;
  const { status } = now;
  const transition = statuses[`${old['status']}>${status}`] ?? statuses[String(status)];
  const suffix = changed.includes('status') ? transition : undefined;
  return changeOf(subject, suffix ?? 'updated', after, [...new Set([...changed, ...progressed])].sort());
};

/** The values of the fields in v1, without the fields that every resource has. */
const toPublishedValues = (
  { computed = {}, hidden = [] }: EventDeclaration,
  row: VersionedId,
): Readonly<Record<string, unknown>> => {
  const storedValues = Object.entries(row).filter(
    ([name]) => !INTERNAL.includes(name) && !hidden.includes(name as never),
  );
  // The cast to `never`: declarations of all row types share one type. The list of resources checks the type of the
  // row.
  const computedValues = Object.entries(computed).map(([name, value]) => [name, value(row as never)]);
  return Object.fromEntries([...storedValues, ...computedValues]);
};

/** Attributes that every change may change, and that tables store in addition to the row. */
const INTERNAL = ['version', 'updated_at', 'write_id', 'account_id'];
