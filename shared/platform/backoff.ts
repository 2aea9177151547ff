import { setTimeout as sleep } from 'node:timers/promises';

const BASE_DELAY_MS = 20;
const MAX_DELAY_MS = 1000;

/** Limit of attempts at a read that DynamoDB can refuse in part: the pauses between them take at most 3.3 s. */
export const MAX_READ_ATTEMPTS = 8;

/** Waits before the given attempt (from 1): exponential, with full jitter. */
export const backoff = (attempt: number): Promise<void> =>
  sleep(Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt));

/** A pause after the first conflict is at most as long as the request so far took, but not shorter than this. */
const MIN_TURN_MS = 20;
/** How much longer the pause after each further conflict may be. */
const GROWTH = 12;
/** Limit of a pause: a request has 15 seconds (LAMBDA_DEFAULTS). */
const MAX_TURN_MS = 3000;

/**
 * Milliseconds to wait after a conflict with a request that changes the same item. Such requests are done one after the
 * other, so the pauses spread them over the time that all requests need. Few requests need a short pause, and the fast
 * growth spreads 64 requests after two or three conflicts.
 * @param conflict how often this request has lost, from 1
 * @param turnMs how long its last attempt took
 */
export const pauseForTurn = (conflict: number, turnMs: number): number =>
  Math.random() * Math.min(MAX_TURN_MS, Math.max(MIN_TURN_MS, turnMs) * GROWTH ** conflict);

const FIRST_REFILL_MS = 500;

/**
 * Milliseconds to wait after a write that DynamoDB has throttled or not answered. A partition gets new units each second,
 * and each repeat uses some of them, so there are fewer repeats than after conflicts: about eight attempts instead of
 * eleven in 14 seconds.
 * @param attempt how often the write was throttled, from 1
 */
export const pauseForUnits = (attempt: number): number =>
  ((1 + Math.random()) / 2) * Math.min(MAX_TURN_MS, FIRST_REFILL_MS * 4 ** (attempt - 1));
