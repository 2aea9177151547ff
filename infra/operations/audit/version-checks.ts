import { type AccountState, memberOf, REFERENCES, type Row } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair, withChange } from '#infra/operations/audit/check.ts';
import {
  deletion,
  feedOf,
  isDeleted,
  type KnownVersion,
  knownOf,
  lastVersion,
  lostChange,
  missingVersions,
  SUBJECTS,
} from '#infra/operations/audit/feed-view.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { ResourceChange } from '#shared/platform/commit/change.ts';
import { createOutboxWriter } from '#shared/platform/commit/outbox-row.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

type Of = (typeof SUBJECTS)[number];

/** The store of a table of any resource. */
export const storeOf = (stores: object, table: string): Store<Entity> => Reflect.get(stores, table) as Store<Entity>;

const rowsOf = ({ table }: Of, state: AccountState): readonly Row[] => state.rows[table];

/** The resources whose rows no request deletes. */
const PERMANENT: ReadonlySet<ResourceName> = new Set(['payments', 'refunds', 'creditNotes']);

export const deletions: Check = {
  name: 'deletions',
  holds: 'A resource whose deletion is an event is not stored.',
  repairs: 'The row is deleted, unless a payment, a refund or a credit note names it.',
  find: (state) =>
    SUBJECTS.flatMap((of) =>
      rowsOf(of, state).flatMap((row) => {
        const known = knownOf(state, of.table, row.id);
        if (!isDeleted(known)) return [];
        const isNamed = REFERENCES.some(
          ({ table, field, owner }) =>
            owner === of.table && PERMANENT.has(table) && state.rows[table].some((fact) => fact[field] === row.id),
        );
        const key = { account_id: state.account, id: row.id };
        // The page index is corrected by its own check.
        const removal = conditional({ table: of.table, key, remove: true }, [['version', '=', row.version]]);
        const repair: Repair = ({ commit }) => commit(() => [removal]);
        const detail = `Version ${row.version} is stored, but the feed has the deletion of version ${lastVersion(known)}.`;
        return [
          { table: of.table, id: row.id, detail, evidence: [row.version, known], repair: isNamed ? undefined : repair },
        ];
      }),
    ),
};

/**
 * The versions of each resource and its events (CONTRACT §14):
 *
 *     row    events and waiting changes
 *     v      1 … v                        right
 *     v      1 … e, e < v                 the events e + 1 … v are added
 *     v      1 … e, e > v                 the row gets the version e + 1, with an event: a reader knows a later state
 *     none   1 … e, without a deletion    the deletion is added
 */
export const versions: Check = {
  name: 'versions',
  holds: 'Every version of a resource has one event, the events end with the stored version, or with a deletion.',
  repairs: 'Missing events are added, and the version of a row that is behind its events is raised.',
  find: (state) =>
    SUBJECTS.flatMap((of) => {
      const rows = new Map(rowsOf(of, state).map((row) => [row.id, row]));
      const type = `${of.subject.type} `;
      const known = [...feedOf(state).known.keys()].filter((key) => key.startsWith(type));
      const ids = new Set([...rows.keys(), ...known.map((key) => Number(key.slice(type.length)))]);
      return [...ids].flatMap((id) => {
        const found = compare(of, id, rows.get(id), knownOf(state, of.table, id));
        return found ? [{ table: of.table, id, ...found }] : [];
      });
    }),
};

type Found = Pick<Finding, 'detail' | 'evidence' | 'repair'>;

const compare = (of: Of, id: number, row: Row | undefined, known: readonly KnownVersion[]): Found | undefined => {
  const evidence = [row?.version, known];
  const last = lastVersion(known);
  const problem = orderProblem(of, known);
  if (problem) return { detail: problem, evidence };
  // The check of deletions reports a row of a deleted resource.
  if (isDeleted(known)) return undefined;
  if (!row) {
    const change = deletion(of.subject, id, last);
    const detail = `The feed has its version ${last}, but no row is stored.`;
    return { detail, evidence, repair: addEvents([change], of, id, ['id', 'absent']) };
  }
  const { version } = row;
  if (version < last)
    return {
      detail: `The version ${version} is stored, but the feed has version ${last}.`,
      evidence,
      repair: raise(of, row, last + 1, known),
    };
  const missing = of.subject.progress ? missingStatus(of, row, known) : missingVersions(known, version);
  if (missing.length === 0) return undefined;
  const changes = missing.map((one) => lostChange(of, { id, version: one }, known, one === version ? row : undefined));
  const isAtEnd = known.every((one) => one.sequence === undefined || one.version < (missing[0] as number));
  const detail = `The version ${version} is stored, but the feed has no event of version ${missing.join(', ')}.`;
  if (isAtEnd) return { detail, evidence, repair: addEvents(changes, of, id, ['version', '=', version]) };
  return {
    detail,
    evidence,
    repair: of.subject.progress && missing[0] !== 1 ? raise(of, row, version + 1, known) : undefined,
  };
};

/** The first event is the creation, no event follows the deletion, and no version has two events. */
const orderProblem = ({ subject }: Of, known: readonly KnownVersion[]): string | undefined => {
  const changes = known.filter(({ isDeletion }) => !isDeletion);
  const twice = known.find(
    (one, i) => one.version === known[i - 1]?.version && one.isDeletion === known[i - 1]?.isDeletion,
  );
  if (twice) return `The feed has two events of version ${twice.version}.`;
  const end = known.findIndex(({ isDeletion }) => isDeletion);
  if (end >= 0 && end < known.length - 1) return 'An event follows the deletion.';
  const wrong = changes.find(({ type, version }) => (type === `${subject.type}.created`) !== (version === 1));
  if (wrong) return `The event of version ${wrong.version} has the type ${wrong.type}.`;
  const gaps = subject.progress || end < 0 ? [] : missingVersions(known, lastVersion(known));
  return gaps.length > 0 ? `The feed has no event of version ${gaps.join(', ')}.` : undefined;
};

/** For a resource with `progress`, only the creation and the present status need an event. */
const missingStatus = (of: Of, row: Row, known: readonly KnownVersion[]): number[] => {
  const now = lostChange(of, row, known, row);
  const isShown = known.some(({ type, version }) => version === lastVersion(known) && type === now.type);
  const isFirst = of.subject.statuses?.[String(row['status'])] === undefined;
  const missingCreation = known[0]?.version === 1 ? [] : [1];
  return isShown || isFirst ? missingCreation : [...new Set([...missingCreation, row.version])];
};

/** DynamoDB permits 100 actions in a transaction, and one action checks the row. */
const MAX_EVENTS = 99;

/** Each change has a row of the outbox: the sequencer orders the versions of a resource by their rows. */
const addEvents =
  (changes: readonly ResourceChange[], { table }: Of, id: number, isUnchanged: Clause): Repair =>
  async ({ commit, account, origin, newId, checkEvent }) => {
    const check = conditional({ table, key: { account_id: account, id }, check: true }, [isUnchanged]);
    for (const batch of batchesOf(changes, MAX_EVENTS)) {
      const isDone = await commit(() => {
        const first = newId();
        const rows = batch.flatMap((change, i) => {
          const carrier = { key: { account_id: account }, change } as unknown as Write;
          return createOutboxWriter([carrier], { ...origin, newId: () => first + i }, () => checkEvent)?.() ?? [];
        });
        return [check, ...rows];
      });
      if (!isDone) return false;
    }
    return true;
  };

/** Gives a row a version that the feed does not have, so that its readers read it again. */
const raise =
  (of: Of, row: Row, version: number, known: readonly KnownVersion[]): Repair =>
  ({ commit, stores, now }) => {
    const before = memberOf(tables[of.table], row);
    const after = { ...before, version, updated_at: now() };
    const change = lostChange(of, { id: row.id, version }, known, row);
    return commit(() => withChange(storeOf(stores, of.table).replace(before, after), change));
  };
