import { createEntity } from '#shared/platform/entity.ts';
import {
  attemptFailed,
  claimed,
  created,
  ended,
  heartbeat,
  held,
  isClaimable,
  type JobLifecycle,
  type JobState,
  released,
  reminded,
  started,
} from '#shared/platform/jobs/state.ts';
import type { Model, Step } from './search.ts';

/*
 * A model of the protocol of shared/platform/jobs, with its real transitions: workers, a reconciler and a client change
 * one row. A read and a commit are two steps, so that other steps can come between them. A message may come late, twice
 * or never. A worker or the reconciler may be lost at any step. A worker may hold the job, and the reconciler starts it.
 * Time passes to the next moment that changes a decision.
 */

interface Job extends JobState {
  readonly outcome: 'none' | 'done' | 'failed' | 'canceled';
}

interface Actor {
  /** The next step with the row that it has read or claimed. */
  readonly at: 'idle' | 'claiming' | 'working' | 'reminding' | 'sending';
  readonly row?: Job;
}

export interface State {
  readonly now: number;
  readonly row: Job;
  readonly messages: number;
  readonly workers: readonly Actor[];
  readonly reconciler: Actor;
  /** The remaining number of these events. */
  readonly left: {
    readonly release: number;
    readonly hold: number;
    readonly duplicate: number;
    readonly cancel: number;
  };
  /** The committed outcomes, in order. */
  readonly ends: readonly string[];
}

/** The safeguards of the protocol. Without any one of them an invariant breaks. */
export interface Safeguards {
  readonly commitIfVersion: boolean;
  readonly reconcile: boolean;
}

const LEASE_MS = 4;
const kind: JobLifecycle<Job> = {
  leaseMs: LEASE_MS,
  graceMs: 2,
  maxAttempts: 2,
  hasEnded: ({ outcome }) => outcome !== 'none',
  startDelayMs: () => 0,
  onFail: () => ({ outcome: 'failed' }),
};

const time = (now: number): string => new Date(now).toISOString();
const IDLE: Actor = { at: 'idle' };

export const jobs = (workers: number, without: Partial<Safeguards> = {}): Model<State> => {
  const parts = { commitIfVersion: true, reconcile: true, ...without };
  const state = { outcome: 'none', ...created(time(0), 0, kind.graceMs) } as const;
  const row: Job = createEntity<Omit<Job, 'id' | 'version' | 'created_at' | 'updated_at'>>(state, {
    id: 1,
    at: time(0),
  });
  return {
    initial: {
      now: 0,
      row,
      messages: 1,
      workers: Array(workers).fill(IDLE),
      reconciler: IDLE,
      left: { release: 1, hold: 1, duplicate: 1, cancel: 1 },
      ends: [],
    },
    key: (state) => key(state, parts),
    steps: (state) => [
      ...state.workers.flatMap((_, i) => work(state, i, parts)),
      ...(parts.reconcile ? reconcile(state, parts) : []),
      ...environment(state),
    ],
    broken: (state) => broken(state) ?? abandoned(state, parts),
  };
};

type Put = (state: State, actor: Actor) => State;

/** Commits a change of a row at the version that was read; returns undefined if the version has changed. */
const commit = (state: State, from: Job, to: Job, { commitIfVersion }: Safeguards): State | undefined => {
  if (from.version !== state.row.version && commitIfVersion) return undefined;
  if (from === to) return state;
  return { ...state, row: to, ends: kind.hasEnded(to) ? [...state.ends, to.outcome] : state.ends };
};

const work = (state: State, i: number, parts: Safeguards): Step<State>[] => {
  const { at, row = state.row } = state.workers[i] as Actor;
  const name = `worker ${i + 1}`;
  const put: Put = (to, actor) => ({ ...to, workers: to.workers.map((old, j) => (i === j ? actor : old)) });
  if (at === 'idle') return receive(state, name, put);
  const lost = { does: `${name} is lost`, to: put(state, IDLE) };
  const change = (does: string, to: Job, isHeld = false, rest: Partial<State> = {}): Step<State> => {
    const after = commit(state, row, to, parts);
    if (!after) return { does: `${name} has lost its lease`, to: put(state, IDLE) };
    const actor: Actor = isHeld && !kind.hasEnded(to) ? { at: 'working', row: to } : IDLE;
    return { does: `${name} ${does}`, to: put({ ...after, ...rest }, actor) };
  };
  const now = time(state.now);
  const { left, messages } = state;
  if (at === 'claiming') {
    const fewer = { left: { ...left, hold: left.hold - 1 } };
    const hold = left.hold > 0 ? [change('holds the job', held(row, {}, 1, now), false, fewer)] : [];
    return [change('claims the job', claimed(kind, row, {}, now), true), ...hold, lost];
  }
  const less = { left: { ...left, release: left.release - 1 } };
  return [
    change('completes the job', ended(row, { outcome: 'done' }, now)),
    change('fails', attemptFailed(kind, row, 1, now), false, { messages: Math.min(2, messages + 1) }),
    ...(heartbeat(kind, row, now) === row ? [] : [change('renews its lease', heartbeat(kind, row, now), true)]),
    ...(left.release > 0 ? [change('releases the job', released(kind, row, {}, 0, now), false, less)] : []),
    lost,
  ];
};

const receive = (state: State, name: string, put: Put): Step<State>[] => {
  const { messages, row, now, left } = state;
  if (messages === 0) return [];
  const actor: Actor = isClaimable(kind, row, time(now)) ? { at: 'claiming', row } : IDLE;
  const deliver = (to: Partial<State>) => put({ ...state, ...to }, actor);
  const again = { left: { ...left, duplicate: left.duplicate - 1 } };
  return [
    { does: `${name} receives a message`, to: deliver({ messages: messages - 1 }) },
    ...(left.duplicate > 0 ? [{ does: `${name} receives a message that comes again`, to: deliver(again) }] : []),
    { does: 'a message is lost', to: { ...state, messages: messages - 1 } },
  ];
};

const reconcile = (state: State, parts: Safeguards): Step<State>[] => {
  const { reconciler, row, now, messages } = state;
  const put: Put = (to, actor) => ({ ...to, reconciler: actor });
  const read = reconciler.row ?? row;
  if (reconciler.at === 'idle') {
    if (kind.hasEnded(row) || (row.held_by === undefined && (row.due_at as number) > now)) return [];
    return [{ does: 'the reconciler reads the job', to: put(state, { at: 'reminding', row }) }];
  }
  const lost = { does: 'the reconciler is lost', to: put(state, IDLE) };
  if (reconciler.at === 'sending') {
    return [
      { does: 'the reconciler sends a message', to: put({ ...state, messages: Math.min(2, messages + 1) }, IDLE) },
      lost,
    ];
  }
  const after = read.held_by === undefined ? reminded(kind, read, time(now)) : started(kind, read, {}, time(now));
  const to = commit(state, read, after, parts);
  if (!to) return [{ does: 'the reconciler finds the job changed', to: put(state, IDLE) }, lost];
  return [{ does: 'the reconciler commits', to: put(to, kind.hasEnded(after) ? IDLE : { at: 'sending' }) }, lost];
};

/** The steps of time and of a client that cancels the job. */
const environment = (state: State): Step<State>[] => {
  const { row, now, left, ends } = state;
  if (kind.hasEnded(row)) return [];
  const beats = row.lease_until > 0 ? [row.lease_until - LEASE_MS + 1] : [];
  const moments = [...beats, row.lease_until, row.due_at ?? 0].filter((moment) => moment > now);
  const canceled = ended(row, { outcome: 'canceled' }, time(now));
  const cancel = { row: canceled, ends: [...ends, 'canceled'], left: { ...left, cancel: 0 } };
  return [
    ...moments.map((moment) => ({ does: `${moment - now} ms pass`, to: { ...state, now: moment } })),
    ...(left.cancel > 0 ? [{ does: 'a client cancels the job', to: { ...state, ...cancel } }] : []),
  ];
};

const broken = ({ ends, row, workers }: State): string | undefined => {
  if (ends.length > 1) return 'a job ends once';
  if (ends.length === 1 && !kind.hasEnded(row)) return 'an end is final';
  const holders = workers.filter((one) => one.at === 'working' && one.row?.version === row.version);
  return holders.length > 1 ? 'one attempt holds a job' : undefined;
};

/** The invariant that breaks if the reconciler and one worker cannot end the job without further faults. */
const abandoned = (state: State, parts: Safeguards): string | undefined => {
  let alone: State = { ...state, workers: [IDLE], reconciler: IDLE };
  for (let rounds = 0; rounds < 20 && !kind.hasEnded(alone.row); rounds++) {
    const [next] = [
      ...work(alone, 0, parts).filter(({ does }) => !does.includes('again')),
      ...(parts.reconcile ? reconcile(alone, parts) : []),
      ...environment(alone)
        .filter(({ does }) => does.endsWith('pass'))
        .slice(-1),
    ];
    alone = next?.to ?? alone;
  }
  return kind.hasEnded(alone.row) ? undefined : 'the job always ends';
};

/** Times are relative to now. All rows whose commits must fail are equal. */
const key = (
  { now, row, messages, workers, reconciler, left, ends }: State,
  { commitIfVersion }: Safeguards,
): string => {
  const of = (one: Job | undefined) => {
    if (!one || (commitIfVersion && one.version !== row.version)) return one && 'stale';
    const until = (moment = 0) => Math.max(-1, moment - now);
    return [
      one.version - row.version,
      one.tries,
      one.reminders,
      until(one.lease_until),
      until(one.due_at),
      one.held_by,
    ];
  };
  const actors = workers.map((one) => JSON.stringify([one.at, of(one.row)])).sort();
  return JSON.stringify([
    of(row),
    row.attempt === 0,
    messages,
    actors,
    [reconciler.at, of(reconciler.row)],
    left,
    ends,
  ]);
};
