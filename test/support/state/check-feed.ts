import { expect } from '@jest/globals';
import { versions } from '#infra/operations/audit/version-checks.ts';
import { resources } from '#shared/invoicing/index.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { expectNone, rowsOf, stateWith } from './invariants.ts';

/** The resources whose every version is an event. The progress of an export is not an event (CONTRACT §14). */
const VERSIONED = Object.values<ResourceEntry>(resources).filter(({ events }) => events && !events.progress);

/** A committed change that a client knows of, such as `customer 7, version 2`. */
export const toLabel = ({
  resource_type,
  resource_id,
  resource_version,
}: Pick<EventRow, 'resource_type' | 'resource_id' | 'resource_version'>) =>
  `${resource_type} ${resource_id}, version ${resource_version}`;

/**
 * Checks that the feed of an account has exactly one event for each committed version of each resource. The events
 * of one resource are in order, ids ascend, and sequences have no gaps (CONTRACT §14).
 * @param acknowledged changes that clients know of, also of resources that are deleted
 * @returns the number of events
 */
export const checkFeed = async (
  service: Pick<LocalService, 'client' | 'database' | 'environment'>,
  account: string,
  acknowledged: ReadonlySet<string> = new Set(),
): Promise<number> => {
  const events = (await rowsOf(service, 'events', account)) as unknown as EventRow[];
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
  expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted((a, b) => a - b));
  const rows = await Promise.all(
    VERSIONED.map(async ({ table }) => [table, await rowsOf(service, table as ResourceName, account)]),
  );
  expectNone([versions], stateWith(account, { ...Object.fromEntries(rows), events: events.filter(isVersioned) }));
  const labels = new Set(events.map(toLabel));
  expect([...acknowledged].filter((label) => !labels.has(label))).toEqual([]);
  return events.length;
};

const isVersioned = ({ resource_type }: EventRow): boolean => VERSIONED.some(({ type }) => type === resource_type);
