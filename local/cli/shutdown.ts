/** Signals within this time are one: npm passes on what the terminal has sent to everyone already. */
const ONCE_MS = 250;
const FORCED = 130;

/**
 * Ends the process with 0 at the first SIGINT or SIGTERM, after what there is to finish; at the second, at once.
 * @returns sets what there is to finish; nothing until then
 */
export const onShutdown = (): ((finish: () => Promise<void>) => void) => {
  let finish = async (): Promise<void> => {};
  let since: number | undefined;
  const stop = async () => {
    if (since !== undefined && performance.now() - since < ONCE_MS) return;
    if (since !== undefined) process.exit(FORCED);
    since = performance.now();
    await finish();
    process.exit(0);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return (work) => {
    finish = work;
  };
};
