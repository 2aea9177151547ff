import { watch } from 'node:fs';

/** An editor writes a file in several steps, and several files at once. */
const SETTLE_MS = 60;

/** Calls back once for each burst of changes to TypeScript files. */
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
 * The newest build that succeeded. Whoever asks while one is made waits for it, so that what was saved before is what
 * answers.
 * @param rebuild makes the next build; its failure is shown, and the last good one stays
 */
export const reloading = <T>(
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
      console.error(`${(error as Error).message}\nThe last good build still answers.`);
      return last;
    }
  };
  onChange(directories, () => {
    newest = newest.then(replace);
  });
  return () => newest;
};
