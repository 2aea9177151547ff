import { jest } from '@jest/globals';

/** Timers that stay real when the date is faked: without them the engines would stop. */
export const CLOCKS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Stops `Date` at this time until `jest.useRealTimers`; timers stay real. */
export const stopClock = (now = Date.now()): void => {
  jest.useFakeTimers({ now, doNotFake: [...CLOCKS] });
};

/** Runs `act` with `Date` this many minutes ahead. */
export const runLater = async <T>(minutes: number, act: () => Promise<T>): Promise<T> => {
  stopClock(Date.now() + minutes * 60_000);
  try {
    return await act();
  } finally {
    jest.useRealTimers();
  }
};
