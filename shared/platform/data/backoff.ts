import { setTimeout as sleep } from 'node:timers/promises';

const BASE_MS = 20;
const MOST_MS = 1000;

/** Waits before the given attempt (from 1): exponential, with full jitter. */
export const backoff = (attempt: number): Promise<void> =>
  sleep(Math.random() * Math.min(MOST_MS, BASE_MS * 2 ** attempt));
