import { Socket } from 'node:net';

/** npm forwards a signal that the terminal has already sent to every process; both signals count as one. */
const SAME_SIGNAL_MS = 250;
const FORCED_EXIT_CODE = 130;

export interface Shutdown {
  /** Registers the work that precedes the end. */
  readonly setCleanup: (finish: () => Promise<void>) => void;
  /** Ends the process as the first signal does. Further calls have no effect. */
  readonly begin: () => Promise<void>;
}

/** Exits with 0 at the first SIGINT or SIGTERM, after the registered work. The second signal exits at once. */
export const onShutdown = (): Shutdown => {
  let finish = async (): Promise<void> => {};
  let since: number | undefined;
  const begin = async () => {
    if (since !== undefined) return;
    since = performance.now();
    await finish();
    process.exit(0);
  };
  const stop = () => {
    if (since === undefined) return void begin();
    if (performance.now() - since >= SAME_SIGNAL_MS) process.exit(FORCED_EXIT_CODE);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    setCleanup: (work) => {
      finish = work;
    },
    begin,
  };
};

/**
 * Calls back when the terminal is closed or the program at the other end of standard input has ended, also with a kill. A
 * terminal is not read: a background job that reads it is stopped.
 */
export const onTerminalEnd = (end: () => void): void => {
  process.on('SIGHUP', end);
  if (process.stdin instanceof Socket && !process.stdin.isTTY) process.stdin.on('end', end).on('error', end).resume();
};
