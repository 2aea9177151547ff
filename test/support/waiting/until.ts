import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from '@jest/globals';

const POLL_MS = 5;

let isFileOver = false;
afterAll(() => {
  isFileOver = true;
});

/** Waits until a condition holds that no event reports. Only the deadline of the test itself ends the wait. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!isFileOver && !(await holds())) await sleep(POLL_MS);
};
