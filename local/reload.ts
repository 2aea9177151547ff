import { watch } from 'node:fs';
import type { Router } from './router.ts';

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
 * Routes to the newest build that succeeded. A request that comes in while one is made waits for it, so that what was
 * saved before is what answers.
 * @param rebuild makes the next build; its failure is shown, and the last good one stays
 */
export const reloading = (first: Router, rebuild: () => Promise<Router>, directories: readonly string[]): Router => {
  let newest = Promise.resolve(first);
  const replace = async (last: Router): Promise<Router> => {
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
  return async (method, path) => (await newest)(method, path);
};
