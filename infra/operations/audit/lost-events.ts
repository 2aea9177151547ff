import type { AccountState, Row } from '#infra/operations/audit/account-state.ts';
import {
  deletion,
  feedOf,
  type KnownVersion,
  keyOf,
  lastVersion,
  lostChange,
  missingVersions,
  SUBJECTS,
} from '#infra/operations/audit/feed-view.ts';
import type { ResourceChange } from '#shared/platform/commit/change.ts';

interface Candidate {
  readonly change: ResourceChange;
  /** The sequences of the events of the versions before and after. */
  readonly after: number;
  readonly before: number;
}

/** A change for each lost sequence. One more change deletes a customer for which no lost sequence is left. */
export const changesFor = (lost: readonly number[], state: AccountState): ResourceChange[] => {
  const candidates = candidatesOf(state);
  const taken = new Map<string, number>();
  const changes = lost.map((sequence) => {
    const index = candidates.findIndex(({ change, after, before }) => {
      const previous = taken.get(keyOf(change.resource_type, change.resource_id)) ?? change.version - 1;
      return after < sequence && sequence < before && previous === change.version - 1;
    });
    const [candidate] = index < 0 ? [] : candidates.splice(index, 1);
    if (!candidate) return undefined;
    const { resource_type, resource_id, version } = candidate.change;
    taken.set(keyOf(resource_type, resource_id), version);
    return candidate.change;
  });
  return withCustomer(changes, lost);
};

/**
 * The versions without an event, in the order in which they must appear; versions that a later event follows come
 * first.
 */
const candidatesOf = (state: AccountState): Candidate[] => {
  const { known } = feedOf(state);
  const candidates = SUBJECTS.flatMap((of) => {
    const rows = new Map(state.rows[of.table].map((row) => [keyOf(of.subject.type, row.id), row]));
    const resources = new Set([...rows.keys(), ...known.keys()].filter((key) => key.startsWith(`${of.subject.type} `)));
    return [...resources].flatMap((resource) => {
      const versions = known.get(resource) ?? [];
      const row = rows.get(resource);
      const id = Number(resource.slice(of.subject.type.length + 1));
      return missingVersions(versions, lastOf(of, versions, row)).map((version) => ({
        change: lostChange(of, { id, version }, versions, row?.version === version ? row : undefined),
        after: sequenceOf(
          versions.findLast((one) => one.version < version),
          0,
        ),
        before: sequenceOf(
          versions.find((one) => one.version > version || (one.isDeletion && one.version === version)),
          Number.POSITIVE_INFINITY,
        ),
      }));
    });
  });
  return candidates.sort((a, b) => a.before - b.before || a.change.version - b.change.version);
};

/** The last version that must have an event; of a resource with `progress`, the creation. */
const lastOf = (
  { subject }: (typeof SUBJECTS)[number],
  known: readonly KnownVersion[],
  row: Row | undefined,
): number => (subject.progress ? 1 : Math.max(lastVersion(known), row?.version ?? 0));

/** A waiting change gets a later sequence than the lost events, but an earlier sequence than the added changes. */
const WAITING = Number.MAX_SAFE_INTEGER;

const sequenceOf = (known: KnownVersion | undefined, fallback: number): number =>
  known === undefined ? fallback : (known.sequence ?? WAITING);

/**
 * Events of a customer that was never stored take the remaining lost sequences. A reader sees that this customer was
 * created and deleted.
 */
const withCustomer = (changes: readonly (ResourceChange | undefined)[], lost: readonly number[]): ResourceChange[] => {
  const free = changes.filter((change) => change === undefined).length;
  if (free === 0) return changes as ResourceChange[];
  const customer = SUBJECTS[0] as (typeof SUBJECTS)[number];
  // No other customer has this id: ids contain the time, and the time of this id is before the first customer.
  const id = lost[0] as number;
  let version = 0;
  const created = changes.map((change) => {
    if (change) return change;
    version += 1;
    return version > 1 && version === free
      ? deletion(customer.subject, id, version - 1)
      : { ...lostChange(customer, { id, version }, []), changed: [] };
  });
  return free === 1 ? [...created, deletion(customer.subject, id, 1)] : created;
};
