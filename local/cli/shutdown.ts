/** npm forwards a signal that the terminal has already sent to every process; both count as one. */
const SAME_SIGNAL_MS = 250;
const FORCED_EXIT_CODE = 130;

/**
 * Exits with 0 at the first SIGINT or SIGTERM, after the registered work. The second signal exits at once.
 * @returns registers the work
 */
export const onShutdown = (): ((finish: () => Promise<void>) => void) => {
  let finish = async (): Promise<void> => {};
  let since: number | undefined;
  const stop = async () => {
    if (since !== undefined && performance.now() - since < SAME_SIGNAL_MS) return;
    if (since !== undefined) process.exit(FORCED_EXIT_CODE);
    since = performance.now();
    await finish();
    process.exit(0);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return (work) => {
    finish = work;
  };
};
