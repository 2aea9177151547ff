import { watch } from 'node:fs';

/** One save by an editor causes several events. */
const SETTLE_MS = 60;

const onChange = (directories: readonly string[], changed: () => void): void => {
  let timer: NodeJS.Timeout | undefined;
  for (const directory of directories) {
    watch(directory, { recursive: true }, (_, file) => {
      if (!file?.endsWith('.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(changed, SETTLE_MS);
    });
  }
};

/**
 * The newest successful build. While a build runs, callers wait for it, so that they get the code that was saved
 * before.
 * @param rebuild its error is printed, and the last successful build stays
 */
export const reloadOnChange = <T>(
  first: T,
  rebuild: () => Promise<T>,
  directories: readonly string[],
): (() => Promise<T>) => {
  let newest: Promise<T> = Promise.resolve(first);
  const replace = async (last: T): Promise<T> => {
    const start = performance.now();
    try {
      const next = await rebuild();
      console.log(`reloaded in ${Math.round(performance.now() - start)} ms`);
      return next;
    } catch (error) {
      console.error(`${(error as Error).message}\nThe last successful build is still served.`);
      return last;
    }
  };
  onChange(directories, () => {
    newest = newest.then(replace);
  });
  return () => newest;
};
