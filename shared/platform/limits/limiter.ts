import { type ArrivalTime, type Counter, ThrottledError } from './counter.ts';

/** An account may use ten seconds of its rate at once (CONTRACT §16). */
export const BURST_S = 10;

/** The limiter counts one request in five, with five times its cost (docs/decisions/0060). */
const SAMPLING = 5;
/** A sampled charge is at most this part of the burst, so that the error of a small budget stays small. */
const MAX_CHARGE = 0.05;
/**
 * With less than this part of the burst left, every request is counted, or refused if the counter does not accept the
 * charge.
 */
const LOW = 0.8;
const LOW_MS = 10_000;
/** After a 429, every request is counted for longer. */
const REFUSED_MS = 30_000;
/** An instance reads an older value of the counter again before it uses the value. */
const FRESH_MS = 250;
/** An instance that has not seen an account for this time permits a request of cost 1 without a call. */
const KNOWN_MS = 10_000;
const FIRST_PAUSE_MS = 125;
const LAST_PAUSE_MS = 1000;
const UNREACHABLE_MS = 1000;
/** A slower counter counts as unreachable (CONTRACT §16). */
const MAX_WAIT_MS = 50;
const MAX_ACCOUNTS = 10_000;

interface LimiterOptions {
  /** Cost per second. */
  readonly rate: number;
  readonly counter: Counter;
  readonly memory?: Memory;
  readonly now?: () => number;
  readonly random?: () => number;
  /** Called for a request that is permitted without a count. */
  readonly onUncounted: (error: Error) => void;
}

/** Limits the requests of each account (CONTRACT §16): the generic cell rate algorithm, which most requests do not change. */
export class Limiter {
  readonly rate: number;
  readonly #burst: number;
  readonly #options: Required<LimiterOptions>;

  constructor(options: LimiterOptions) {
    this.rate = options.rate;
    this.#burst = options.rate * BURST_S;
    this.#options = { memory: createMemory(), now: () => Date.now(), random: Math.random, ...options };
  }

  /**
   * @returns milliseconds after which a refused request would be permitted; undefined for a permitted request. Nothing is
   * written before that.
   */
  check(account: string, cost: number): number | undefined | Promise<number | undefined> {
    const { memory, now } = this.#options;
    const [at, entry] = [now(), entryOf(memory, account)];
    if (at < entry.refusedUntil) return this.#waitOf(entry, cost, at);
    if (at < memory.unreachableUntil) return undefined;
    // Requests at the same time must know of each other.
    const isStrict = at < entry.strictUntil || entry.asking > 0;
    const age = at - entry.seenAt;
    const isKnown = age <= KNOWN_MS;
    const charge = isStrict || (cost > 1 && !isKnown) ? cost : this.#sample(entry, cost);
    entry.uncharged += cost;
    if (charge === 0 && (age <= FRESH_MS || !isKnown)) return undefined;
    return this.#ask(account, entry, cost, charge);
  }

  /** The rest of the account's budget; undefined when this instance has not seen the account lately. */
  remaining(account: string): number | undefined {
    const entry = this.#options.memory.entries.get(account);
    const at = this.#options.now();
    if (!entry || at - entry.seenAt > KNOWN_MS) return undefined;
    const left = Math.floor(this.#left(entry, at) - entry.uncharged);
    return Math.max(0, Math.min(this.#burst, left));
  }

  /** Counts a charge; without one, reads the counter. */
  async #ask(account: string, entry: AccountEntry, cost: number, charge: number): Promise<number | undefined> {
    // The budget that returns while the counter responds is not charged to this request.
    const at = this.#options.now();
    entry.asking += 1;
    try {
      if (charge === 0) await this.#read(account, entry);
      else if (await this.#charge(account, entry, charge)) return undefined;
    } catch (error) {
      if (error instanceof ThrottledError) return await this.#decideUncounted(account, entry, cost, charge, error);
      return this.#permitAll(entry, charge, error as Error);
    } finally {
      entry.asking -= 1;
    }
    return this.#left(entry, at) < cost ? this.#refuse(entry, cost) : undefined;
  }

  /** As long as the counter is not reachable, the requests of all accounts are permitted. */
  #permitAll(entry: AccountEntry, charge: number, error: Error): undefined {
    const { memory, now, onUncounted } = this.#options;
    // The counter may have added the charge.
    entry.uncharged -= charge;
    memory.unreachableUntil = now() + UNREACHABLE_MS;
    onUncounted(error);
  }

  /**
   * DynamoDB throttles the item of a flooding account, and with it the items of other accounts in the same physical
   * partition. The item can still be read, because reads have their own throughput.
   */
  async #decideUncounted(
    account: string,
    entry: AccountEntry,
    cost: number,
    charge: number,
    throttled: ThrottledError,
  ): Promise<number | undefined> {
    const { now, onUncounted } = this.#options;
    try {
      if (charge > 0) await this.#read(account, entry);
    } catch (error) {
      if (!(error instanceof ThrottledError)) return this.#permitAll(entry, charge, error as Error);
    }
    const at = now();
    if (this.#left(entry, at) < LOW * this.#burst) return this.#refuse(entry, cost);
    // Only this instance knows of the request.
    entry.arrivalTime = Math.max(entry.arrivalTime, at) + this.#milliseconds(charge);
    entry.uncharged -= charge;
    onUncounted(throttled);
    return undefined;
  }

  async #read(account: string, entry: AccountEntry): Promise<void> {
    const { counter, memory } = this.#options;
    this.#see(entry, await within(memory.maxWaitMs, (signal) => counter.read(account, signal)));
  }

  /** @returns whether the charge was added */
  async #charge(account: string, entry: AccountEntry, charge: number): Promise<boolean> {
    const { counter, memory, ...options } = this.#options;
    const now = options.now();
    const milliseconds = this.#milliseconds(charge);
    const latest = now + this.#milliseconds(this.#burst) - milliseconds;
    const isBusy = entry.wasBusy;
    const { isCharged, ...seen } = await within(memory.maxWaitMs, (signal) =>
      counter.charge(account, { now, milliseconds, latest, isBusy }, signal),
    );
    this.#see(entry, seen.arrivalTime);
    entry.wasBusy = seen.wasBusy;
    if (!isCharged) return false;
    entry.uncharged -= charge;
    entry.pauseMs = 0;
    return true;
  }

  #see(entry: AccountEntry, arrivalTime: ArrivalTime): void {
    const at = this.#options.now();
    entry.seenAt = at;
    // Responses can arrive out of order; an arrival time only grows.
    entry.arrivalTime = Math.max(entry.arrivalTime, arrivalTime);
    entry.wasBusy = arrivalTime > at;
    if (this.#left(entry, at) < LOW * this.#burst) entry.strictUntil = Math.max(entry.strictUntil, at + LOW_MS);
  }

  #refuse(entry: AccountEntry, cost: number): number {
    const { now, random } = this.#options;
    const at = now();
    entry.uncharged -= cost;
    entry.strictUntil = at + REFUSED_MS;
    // Of concurrent refusals, the first refusal starts the pause.
    if (at >= entry.refusedUntil) {
      entry.pauseMs = Math.min(LAST_PAUSE_MS, entry.pauseMs * 2 || FIRST_PAUSE_MS);
      entry.refusedUntil = at + entry.pauseMs * (0.5 + random());
    }
    return this.#waitOf(entry, cost, at);
  }

  /** Until the cost fits into the budget, and this instance asks again. */
  #waitOf({ arrivalTime, refusedUntil }: AccountEntry, cost: number, at: number): number {
    return Math.max(refusedUntil, arrivalTime - this.#milliseconds(this.#burst - cost)) - at;
  }

  /**
   * Counts every fifth request with five times its cost; the first counted request is random. A function has one cost;
   * the local process has three.
   */
  #sample({ untilCount }: AccountEntry, cost: number): number {
    const every = Math.max(1, Math.min(SAMPLING, Math.floor((MAX_CHARGE * this.#burst) / cost)));
    const until = untilCount.get(cost) ?? Math.floor(this.#options.random() * every);
    untilCount.set(cost, until === 0 ? every - 1 : until - 1);
    return until === 0 ? every * cost : 0;
  }

  #left({ arrivalTime }: AccountEntry, at: number): number {
    return this.#burst - (Math.max(0, arrivalTime - at) * this.rate) / 1000;
  }

  #milliseconds(cost: number): number {
    return (cost * 1000) / this.rate;
  }
}

/** The knowledge of an instance about an account. */
export interface AccountEntry {
  seenAt: number;
  arrivalTime: ArrivalTime;
  wasBusy: boolean;
  /** By cost: the number of requests until the next counted request. */
  readonly untilCount: Map<number, number>;
  /**
   * The number of running calls of the counter. A function has one call at a time, a process with all functions has
   * many.
   */
  asking: number;
  /** The cost of requests that this instance has not charged yet; negative when it has charged more. */
  uncharged: number;
  strictUntil: number;
  refusedUntil: number;
  pauseMs: number;
}

/** The knowledge of an instance about all accounts. Locally, all functions share it, because they share a process. */
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

/** @throws Error when the work takes longer; the signal then ends it */
const within = async <T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late.abort();
      reject(new Error(`The counter did not respond within ${milliseconds} ms.`));
    }, milliseconds);
  });
  try {
    return await Promise.race([work(late.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
};
