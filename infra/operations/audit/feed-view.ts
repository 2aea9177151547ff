import { type AccountState, RESOURCE_NAMES, RESOURCES, type Row } from '#infra/operations/audit/account-state.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { eventTypesOf, type ResourceChange, type Subject } from '#shared/platform/commit/change.ts';
import { HEAD_ID, type OutboxRow } from '#shared/platform/commit/outbox-row.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { EMPTY, type HeadRow, namedBy } from '#shared/platform/events/feed-head.ts';
import type { ResourceName, TableName } from '#shared/vocabulary.ts';

/** A version of a resource that has an event, or a change that waits in the outbox. */
export interface KnownVersion {
  readonly version: number;
  readonly type: string;
  readonly isDeletion: boolean;
  /** Absent while the change waits. */
  readonly sequence: number | undefined;
}

/** The feed of an account, and the changes that wait. */
export interface FeedView {
  /** The events, by sequence. */
  readonly events: readonly EventRow[];
  readonly head: HeadRow;
  readonly waiting: readonly OutboxRow[];
  /** The versions, by resource, such as `invoice 7`, and then by version. */
  readonly known: ReadonlyMap<string, readonly KnownVersion[]>;
}

/** The tables whose changes become events, with the fields of their resources. */
export const SUBJECTS = RESOURCE_NAMES.flatMap((table) => {
  const { subject } = tables[table];
  return subject ? [{ table, subject, resource: RESOURCES[table] }] : [];
});

const views = new WeakMap<AccountState, FeedView>();

export const feedOf = (state: AccountState): FeedView => {
  const view = views.get(state) ?? createView(state);
  views.set(state, view);
  return view;
};

const createView = ({ rows, outbox }: AccountState): FeedView => {
  const events = (rows.events as unknown as EventRow[]).toSorted((a, b) => a.sequence - b.sequence);
  const head = (outbox.find(({ id }) => id === HEAD_ID) as HeadRow | undefined) ?? EMPTY;
  const isPublished = namedBy(head);
  const all = outbox.filter(({ id }) => id !== HEAD_ID) as unknown as OutboxRow[];
  const waiting = all.filter((row) => !isPublished(row));
  const published = events.map(({ resource_version: version, type, sequence, ...event }) => ({
    resource: keyOf(event.resource_type, event.resource_id),
    known: { version, type, isDeletion: type.endsWith('.deleted'), sequence },
  }));
  const unpublished = waiting.flatMap(({ changes }) =>
    changes.map(({ version, type, isDeletion = false, ...change }) => ({
      resource: keyOf(change.resource_type, change.resource_id),
      known: { version, type, isDeletion, sequence: undefined },
    })),
  );
  const groups = Map.groupBy([...published, ...unpublished], ({ resource }) => resource);
  const known = new Map(
    [...groups].map(([resource, versions]) => [resource, versions.map((one) => one.known).sort(byVersion)]),
  );
  return { events, head, waiting, known };
};

/** A deletion has the version of the change before it. */
const byVersion = (a: KnownVersion, b: KnownVersion): number =>
  a.version - b.version || Number(a.isDeletion) - Number(b.isDeletion);

export const keyOf = (type: string, id: number): string => `${type} ${id}`;

/** The known versions of a row of a table; no version for a table without events. */
export const knownOf = (state: AccountState, table: TableName, id: number): readonly KnownVersion[] => {
  const { subject } = tables[table];
  return (subject && feedOf(state).known.get(keyOf(subject.type, id))) ?? [];
};

export const isDeleted = (known: readonly KnownVersion[]): boolean => known.some(({ isDeletion }) => isDeletion);

export const lastVersion = (known: readonly KnownVersion[]): number => known.at(-1)?.version ?? 0;

/** The versions whose event is missing. */
export const missingVersions = (known: readonly KnownVersion[], last: number): number[] => {
  const versions = new Set(known.filter(({ isDeletion }) => !isDeletion).map(({ version }) => version));
  return Array.from({ length: last }, (_, i) => i + 1).filter((version) => !versions.has(version));
};

/**
 * The change to a version whose event is lost. Nobody knows which fields changed, so the change names all fields.
 * @param row the stored row, if it has that version
 */
export const lostChange = (
  { subject, resource }: { readonly subject: Subject; readonly resource: Pick<Resource, 'fields'> },
  { id, version }: { readonly id: number; readonly version: number },
  known: readonly KnownVersion[],
  row?: Row,
): ResourceChange => {
  const status = row && resource.fields.v1['status'];
  const value = status?.value?.(row as never) ?? row?.['status'];
  const suffix = subject.statuses?.[String(value)];
  const transition = `${subject.type}.${suffix}`;
  const isNew = suffix !== undefined && (subject.progress || !known.some(({ type }) => type === transition));
  const [created = '', updated = ''] = eventTypesOf(subject);
  return {
    type: version === 1 ? created : isNew ? transition : updated,
    resource_type: subject.type,
    resource_id: id,
    version,
    changed:
      version === 1
        ? []
        : Object.keys(resource.fields.v1)
            .filter((name) => !CONSTANT.includes(name))
            .sort(),
  };
};

/** Fields that no event names. */
const CONSTANT = ['id', 'created_at', 'updated_at'];

export const deletion = (subject: Subject, resource_id: number, version: number): ResourceChange => ({
  type: `${subject.type}.deleted`,
  resource_type: subject.type,
  resource_id,
  version,
  changed: [],
  isDeletion: true,
});

export const subjectOf = (table: ResourceName) => SUBJECTS.find((one) => one.table === table);
