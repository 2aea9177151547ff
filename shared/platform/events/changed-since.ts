import type { ResourceChange } from '#shared/platform/commit/change.ts';
import { ProblemError, type StaleMember } from '#shared/platform/problem.ts';
import type { CursorRequest, RequestedAttribute } from '#shared/platform/store/page.ts';
import type { EventRow } from './event.ts';
import type { EventReader } from './feed-part.ts';
import type { Outbox } from './outbox.ts';
import { readUntilVisible } from './read-until.ts';
import { readSelection } from './selection.ts';

/** A resource with events. Versions without an event are normal for a resource with `progress`. */
interface Changing {
  readonly type: string;
  readonly events?: { readonly progress?: readonly string[] };
}

interface FeedStores {
  readonly outbox: Pick<Outbox, 'readWaiting'>;
  readonly events: EventReader;
}

type VersionChange = Pick<ResourceChange, 'version' | 'changed'>;

/** Limits the cost of a 412: an event costs a read unit. */
const MAX_EVENTS = 1000;
const PAGE = 100;

/**
 * The sorted names of the v1 fields that changed between two versions of a member, by its events and by the changes that
 * are not events yet (CONTRACT §7). Each version has one event, so the versions show whether an event is missing: an
 * index may lag, and DynamoDB can show a transaction only in part. Then everything is read again.
 * @returns undefined if there are more than {@link MAX_EVENTS}, or if a change stays unreadable
 */
export const findChanged = async (
  stores: FeedStores,
  resource: Changing,
  member: StaleMember,
): Promise<readonly string[] | undefined> => {
  if (member.version - member.since > MAX_EVENTS) return undefined;
  try {
    const changes = await readUntilVisible(() => readOnce(stores, resource, member));
    return [...new Set(changes.flatMap(({ changed }) => changed))].sort();
  } catch (error) {
    // The response is 412 in any case.
    if (error instanceof ProblemError && error.code === 'unavailable') return undefined;
    throw error;
  }
};

/** @returns undefined if a change is not readable yet */
const readOnce = async (
  { outbox, events }: FeedStores,
  { type, events: declared }: Changing,
  member: StaleMember,
): Promise<readonly VersionChange[] | undefined> => {
  const isOfMember = (change: Pick<ResourceChange, 'resource_type' | 'resource_id'>) =>
    change.resource_type === type && change.resource_id === member.id;
  const isBetween = ({ version }: VersionChange) => version > member.since && version <= member.version;
  const [{ waiting, head }, published] = await Promise.all([
    outbox.readWaiting(),
    readPublished(events, member, isOfMember),
  ]);
  const unpublished = waiting.flatMap(({ changes }) => changes).filter(isOfMember);
  const changes = [...unpublished, ...published.changes].filter(isBetween);
  const found = new Set(changes.map(({ version }) => version));
  const isComplete = declared?.progress ? published.isComplete(head) : found.size === member.version - member.since;
  return isComplete ? changes : undefined;
};

/** Reads the events of a member from the last one back to the first after the version `since`. */
const readPublished = async (
  events: EventReader,
  { id, since, version }: StaleMember,
  isOfMember: (row: EventRow) => boolean,
) => {
  const changes: VersionChange[] = [];
  const parts: Awaited<ReturnType<typeof readSelection>>[] = [];
  let after: number | undefined;
  for (let read = 0; read < MAX_EVENTS; ) {
    const part = await readSelection(
      { ...REQUEST, filter: { resource_id: id }, after, limit: limitOf(version - since) },
      events,
    );
    parts.push(part);
    const { rows, has_more } = part.page;
    const own = rows.filter(isOfMember);
    for (const { resource_version: version, changed } of own) changes.push({ version, changed });
    if (!has_more || (own.at(-1)?.resource_version ?? Number.POSITIVE_INFINITY) <= since + 1) break;
    after = rows.at(-1)?.id;
    read += rows.length;
  }
  const isComplete: (typeof parts)[number]['isComplete'] = (head) => parts.every((part) => part.isComplete(head));
  return { changes, isComplete };
};

/** Reads one event more than versions, to see whether more follow. */
const limitOf = (versions: number): number => Math.min(versions + 1, PAGE);

const ATTRIBUTES: readonly (keyof EventRow)[] = [
  'sequence',
  'resource_type',
  'resource_id',
  'resource_version',
  'changed',
];

const REQUEST = {
  style: 'cursor',
  order: 'descending',
  attributes: ATTRIBUTES as readonly RequestedAttribute[],
} as const satisfies Partial<CursorRequest>;
