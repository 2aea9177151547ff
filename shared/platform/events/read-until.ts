import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#shared/platform/problem.ts';

/** DynamoDB shows a transaction in part for a shorter time. */
const VISIBILITY_MS = 5000;
const PAUSE_MS = 20;

/**
 * Reads events again until all events that must be readable are readable.
 * @param read returns undefined while an event is missing
 * @throws ProblemError `unavailable` after {@link VISIBILITY_MS}
 */
export const readUntilVisible = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
  for (const deadline = Date.now() + VISIBILITY_MS; ; await sleep(PAUSE_MS)) {
    const result = await read();
    if (result !== undefined) return result;
    if (Date.now() >= deadline) throw new ProblemError('unavailable', { detail: 'Some events are not readable yet.' });
  }
};
