import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '#test/support/service/client.ts';

/** Waits for the `Retry-After` of a response, if it has one. */
export const waitAsAsked = ({ headers }: Pick<Answer, 'headers'>): Promise<void> =>
  sleep(Number(headers['retry-after'] ?? 0) * 1000);
