import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '#test/support/service/client.ts';

/** Waits as long as a response asks, if it does. */
export const waitAsAsked = ({ headers }: Pick<Answer, 'headers'>): Promise<void> =>
  sleep(Number(headers['retry-after'] ?? 0) * 1000);
