import { inCommitOrder } from '#shared/platform/events/order.ts';
import type { OutboxRow } from '#shared/platform/events/outbox-row.ts';
import type { Model, Step } from './search.ts';

/*
 * A model of shared/platform/events/outbox.ts with its real `inCommitOrder`: writers commit changes of resources with a
 * row in the outbox, and sequencers make the rows events. A commit is one step. A read of the outbox takes one step for
 * each row, in the order of their ids, because a query reads each item on its own. A sequencer may die at any step, and
 * the response to its transaction may be lost.
 */

/** A write: the id that its clock gives it, and the resources that it changes. */
export interface Commit {
  readonly id: number;
  readonly resources: readonly number[];
}

type Row = Pick<OutboxRow, 'id' | 'write_id' | 'changes'>;

interface Head {
  readonly sequence: number;
  /** The names of the rows that are published and may still exist. */
  readonly published: readonly string[];
}

/** A query in progress or complete. The head is the row with the last id, so it is read last. */
interface Read {
  readonly after: number;
  readonly rows: readonly Row[];
  readonly head?: Head;
}

interface Sequencer {
  readonly first: Read;
  readonly second: Read;
  /** The rows of the current transaction and its condition, once it was sent. */
  readonly sent?: { readonly rows: readonly Row[]; readonly sequence: number };
  /** The rows to delete after the transaction, or after a read without waiting rows. */
  readonly published: readonly Row[];
}

export interface State {
  readonly versions: readonly number[];
  /** The commits of each writer that are still to come. */
  readonly writers: readonly (readonly Commit[])[];
  readonly outbox: readonly Row[];
  readonly head: Head;
  readonly events: readonly { readonly resource_id: number; readonly version: number }[];
  readonly sequencers: readonly Sequencer[];
  readonly deaths: number;
}

/** The safeguards of the protocol. Without any one of them an invariant breaks. */
export interface Safeguards {
  readonly secondRead: boolean;
  readonly headUnchanged: boolean;
  readonly headNamesPublished: boolean;
  /** The head names a row by its write as well as by its id. */
  readonly namesHaveWrites: boolean;
  /** The deletion of a row has the condition that the row is still that of the same write. */
  readonly deletionChecksWrite: boolean;
}

const ALL: Safeguards = {
  secondRead: true,
  headUnchanged: true,
  headNamesPublished: true,
  namesHaveWrites: true,
  deletionChecksWrite: true,
};

const NOTHING_READ: Read = { after: 0, rows: [] };
const IDLE: Sequencer = { first: NOTHING_READ, second: NOTHING_READ, published: [] };

/** @param writers the commits of each writer, in order; each writer reads the resources just before its commit */
export const sequencing = (
  writers: readonly (readonly Commit[])[],
  sequencers: number,
  without: Partial<Safeguards> = {},
): Model<State> => {
  const rules = { ...ALL, ...without };
  const lost = remember((state) => findLost(state, rules));
  const resources = new Set(writers.flat().flatMap((commit) => commit.resources));
  return {
    initial: {
      versions: [...resources].map(() => 0),
      writers,
      outbox: [],
      head: { sequence: 0, published: [] },
      events: [],
      sequencers: Array(sequencers).fill(IDLE),
      deaths: 1,
    },
    // Sequencers are interchangeable, so their order does not distinguish states.
    key: ({ sequencers: all, ...state }) => JSON.stringify([state, all.map((one) => JSON.stringify(one)).sort()]),
    steps: (state) => [
      ...state.writers.flatMap((_, i) => commit(state, i)),
      ...state.sequencers.flatMap((_, i) => advance(state, i, rules)),
    ],
    broken: (state) => broken(state) ?? lost(state),
  };
};

const commit = (state: State, i: number): Step<State>[] => {
  const [next, ...later] = state.writers[i] ?? [];
  // The condition of the row: its id is free. A writer whose id is taken waits here, where a real one takes another id.
  if (!next || state.outbox.some(({ id }) => id === next.id)) return [];
  const versions = state.versions.map((version, resource) => version + Number(next.resources.includes(resource)));
  const changes = next.resources.map((resource_id) => ({
    type: 'x.updated',
    resource_type: 'x',
    resource_id,
    version: versions[resource_id] as number,
    changed: [],
  }));
  const write_id = `${i + 1}.${later.length}`;
  const outbox = [...state.outbox, { id: next.id, write_id, changes }].sort((a, b) => a.id - b.id);
  const writers = state.writers.map((commits, j) => (i === j ? later : commits));
  const does = changes.map(({ resource_id, version }) => `resource ${resource_id} to version ${version}`).join(', ');
  return [{ does: `writer ${i + 1} commits row ${next.id}: ${does}`, to: { ...state, versions, outbox, writers } }];
};

const advance = (state: State, i: number, rules: Safeguards): Step<State>[] => {
  const sequencer = state.sequencers[i] as Sequencer;
  const name = `sequencer ${i + 1}`;
  const put = (to: State, changed: Partial<Sequencer>): State => ({
    ...to,
    sequencers: to.sequencers.map((old, j) => (i === j ? { ...old, ...changed } : old)),
  });
  const isIdle = JSON.stringify(sequencer) === JSON.stringify(IDLE);
  const death = { does: `${name} dies`, to: { ...put(state, IDLE), deaths: state.deaths - 1 } };
  const dies = isIdle || state.deaths === 0 ? [] : [death];
  return [...dies, ...next(state, sequencer, name, rules, put)];
};

type Put = (to: State, changed: Partial<Sequencer>) => State;

const next = (state: State, sequencer: Sequencer, name: string, rules: Safeguards, put: Put): Step<State>[] => {
  const { first, second, sent, published } = sequencer;
  if (published.length > 0) {
    const isSame = (row: Row, other: Row) =>
      row.id === other.id && (!rules.deletionChecksWrite || row.write_id === other.write_id);
    const outbox = state.outbox.filter((row) => !published.some((one) => isSame(row, one)));
    return [{ does: `${name} deletes the rows ${idsOf(published)}`, to: put({ ...state, outbox }, IDLE) }];
  }
  if (sent) return publish(state, sequencer, name, rules, put);
  if (!first.head) return read(state, 'first', first, name, put);
  const isNamed = namedBy(first.head, rules);
  if (first.rows.every(isNamed))
    return [{ does: `${name} finds nothing`, to: put(state, { ...IDLE, published: first.rows }) }];
  const isReadTwice = !rules.secondRead || second.head;
  if (!isReadTwice) return read(state, 'second', second, name, put);
  const waiting = ({ rows, head }: Read) => rows.filter((row) => !namedBy(head as Head, rules)(row));
  const rows = inOrder(waiting(first), waiting(rules.secondRead ? second : first));
  if (rows.length === 0) return [{ does: `${name} finds its rows published`, to: put(state, IDLE) }];
  const to = put(state, {
    first: { ...NOTHING_READ, head: first.head },
    second: NOTHING_READ,
    sent: { rows, sequence: first.head.sequence },
  });
  return [{ does: `${name} sends the rows ${idsOf(rows)}`, to }];
};

const idsOf = (rows: readonly Row[]): readonly number[] => rows.map(({ id }) => id);

const nameOf = ({ id, write_id }: Row, { namesHaveWrites }: Safeguards): string =>
  namesHaveWrites ? `${id}, write ${write_id}` : `${id}`;

const namedBy =
  ({ published }: Head, rules: Safeguards): ((row: Row) => boolean) =>
  (row) =>
    rules.headNamesPublished && published.includes(nameOf(row, rules));

const inOrder = (first: readonly Row[], second: readonly Row[]): readonly Row[] =>
  inCommitOrder(first as readonly OutboxRow[], second as readonly OutboxRow[]);

/** Reads the next row, or, after the last one, the head. */
const read = (
  state: State,
  which: 'first' | 'second',
  { after, rows }: Read,
  name: string,
  put: Put,
): Step<State>[] => {
  const row = state.outbox.find(({ id }) => id > after);
  if (row) {
    const to = put(state, { [which]: { after: row.id, rows: [...rows, row] } });
    return [{ does: `${name} reads row ${row.id} (${which} read)`, to }];
  }
  return [
    { does: `${name} reads the head (${which} read)`, to: put(state, { [which]: { after, rows, head: state.head } }) },
  ];
};

/** The arrival of a transaction, with or without its response. */
const publish = (state: State, { sent }: Sequencer, name: string, rules: Safeguards, put: Put): Step<State>[] => {
  const { rows, sequence } = sent as NonNullable<Sequencer['sent']>;
  if (rules.headUnchanged && sequence !== state.head.sequence) {
    return [{ does: `${name} finds the head changed`, to: put(state, IDLE) }];
  }
  const events = [...state.events, ...rows.flatMap(({ changes }) => changes)].map(({ resource_id, version }) => ({
    resource_id,
    version,
  }));
  const names = rows.map((row) => nameOf(row, rules));
  const kept = state.head.published.filter((name) => state.outbox.some((row) => nameOf(row, rules) === name));
  const to = { ...state, events, head: { sequence: events.length, published: [...kept, ...names] } };
  return [
    { does: `${name} publishes the rows ${idsOf(rows)}`, to: put(to, { ...IDLE, published: rows }) },
    { does: `${name} publishes the rows ${idsOf(rows)}, response lost`, to: put(to, IDLE) },
  ];
};

const broken = ({ events, head }: State): string | undefined => {
  if (head.sequence !== events.length) return 'the head counts the events';
  const versions = new Map<number, number>();
  for (const { resource_id, version } of events) {
    const last = versions.get(resource_id) ?? 0;
    if (version <= last) return last === version ? 'an event is published once' : 'events are in version order';
    if (version !== last + 1) return 'events are in version order';
    versions.set(resource_id, version);
  }
  return undefined;
};

/** The result depends only on the tables, which many states have in common. */
const remember = (find: (state: State) => string | undefined): ((state: State) => string | undefined) => {
  const found = new Map<string, string | undefined>();
  return (state) => {
    const tables = JSON.stringify([state.versions, state.outbox, state.head, state.events]);
    if (!found.has(tables)) found.set(tables, find(state));
    return found.get(tables);
  };
};

const MAX_STEPS = 60;

/** The invariant that breaks if one sequencer alone does not publish every commit. */
const findLost = (state: State, rules: Safeguards): string | undefined => {
  let alone: State = { ...state, sequencers: [IDLE], deaths: 0 };
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const [step] = advance(alone, 0, rules);
    alone = step?.to ?? alone;
    if (step?.does.endsWith('finds nothing')) break;
  }
  const committed = alone.versions.reduce((sum, version) => sum + version, 0);
  return broken(alone) ?? (alone.events.length === committed ? undefined : 'every commit becomes an event');
};
