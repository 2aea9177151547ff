/**
 * The newest successful build. While a build runs, callers wait for it, so that they get the code that was saved
 * before.
 * @param build after the first build, its error is printed, and the last successful build stays
 * @param onChange calls back after each change, from the moment at which it resolves
 */
export const reloadOnChange = <T extends { readonly fingerprint: string }>(
  build: () => Promise<T>,
  onChange: (changed: () => void) => Promise<unknown>,
): (() => Promise<T>) => {
  let hasFailed = false;
  const replace = async (last: T): Promise<T> => {
    const start = performance.now();
    try {
      const next = await build();
      if (next.fingerprint === last.fingerprint && !hasFailed) return last;
      hasFailed = false;
      console.log(`reloaded in ${Math.round(performance.now() - start)} ms`);
      return next;
    } catch (error) {
      hasFailed = true;
      console.error(`${(error as Error).message}\nThe last successful build is still served.`);
      return last;
    }
  };
  let newest: Promise<T> = onChange(() => {
    newest = newest.then(replace);
  }).then(build);
  return () => newest;
};
