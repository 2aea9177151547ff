import type { ArrivalTime } from './counter.ts';

/** A slower counter counts as unreachable (CONTRACT §16). */
const MAX_WAIT_MS = 50;
const MAX_ACCOUNTS = 10_000;

/** What an instance knows of an account. */
export interface AccountEntry {
  seenAt: number;
  arrivalTime: ArrivalTime;
  wasBusy: boolean;
  /** By cost: the number of requests until the next one that is counted. */
  readonly untilCount: Map<number, number>;
  /** The calls of the counter that have not ended. A function has one at a time, a process with all functions many. */
  asking: number;
  /** The cost of requests that this instance has not charged yet; negative when it has charged more. */
  uncharged: number;
  strictUntil: number;
  refusedUntil: number;
  pauseMs: number;
}

/** What an instance knows of all accounts. Locally, all functions share it, because they share a process. */
export interface Memory {
  readonly entries: Map<string, AccountEntry>;
  unreachableUntil: number;
  readonly maxWaitMs: number;
}

export const createMemory = (maxWaitMs = MAX_WAIT_MS): Memory => ({
  entries: new Map(),
  unreachableUntil: 0,
  maxWaitMs,
});

export const entryOf = ({ entries }: Memory, account: string): AccountEntry => {
  const known = entries.get(account);
  if (known) return known;
  const [oldest] = entries.keys();
  if (entries.size === MAX_ACCOUNTS && oldest !== undefined) entries.delete(oldest);
  const entry = { ...NEVER_SEEN, untilCount: new Map<number, number>() };
  entries.set(account, entry);
  return entry;
};

const NEVER_SEEN = {
  seenAt: Number.NEGATIVE_INFINITY,
  arrivalTime: 0,
  wasBusy: false,
  asking: 0,
  uncharged: 0,
  strictUntil: 0,
  refusedUntil: 0,
  pauseMs: 0,
};
