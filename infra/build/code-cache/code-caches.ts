import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { startAws } from './aws.ts';
import { eventOf } from './events.ts';

const CHILD = fileURLToPath(new URL('make-code-cache.mjs', import.meta.url));

const MAX_ERROR = 2000;

/** The program that makes the caches. Lambda's own may differ from nodejs.org's (docs/deploy.md). */
const NODE = process.env['CODE_CACHE_NODE'] || process.execPath;

/** V8 accepts a code cache only with its own version on its own architecture. */
export const describeNode = async (): Promise<string> =>
  (await promisify(execFile)(NODE, ['-p', 'process.version + " " + process.arch'])).stdout.trim();

/**
 * Makes the code caches of the functions whose bundles are in folders of `directory`.
 * @throws Error when a function does not load or an endpoint answers 5xx
 */
export const makeCodeCaches = async (
  directory: string,
  functions: readonly { readonly file: string; readonly folder: string }[],
): Promise<void> => {
  const { environment, token, stop } = await startAws();
  const waiting = functions.values();
  const makeAll = async () => {
    for (const { file, folder } of waiting) {
      const env = { ...environment, NODE_OPTIONS: workers[file]?.node_options ?? '' };
      const endpoint = endpoints[file];
      // A worker is only loaded, because its cold start delays no client.
      const event = endpoint ? [JSON.stringify(eventOf(file, endpoint, token))] : [];
      await promisify(execFile)(NODE, [CHILD, join(directory, folder), ...event], { env }).catch(
        ({ stdout, stderr }) => {
          // Node prints the line of the error first, and a minified line is long.
          throw new Error(`The code cache of ${folder} was not made:\n${stdout}${stderr.slice(-MAX_ERROR)}`);
        },
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, makeAll));
  } finally {
    stop();
  }
};

/** The file of the cache, next to the bundle. */
export const CODE_CACHE = 'bundle.cache';
const LABEL = { at: 32, bytes: 32 };

/** The version of Node that made the cache in a folder; nothing without a cache. */
export const codeCacheVersion = (folder: string): string => {
  const path = join(folder, CODE_CACHE);
  if (!existsSync(path)) return '';
  const file = openSync(path, 'r');
  const label = Buffer.alloc(LABEL.bytes);
  readSync(file, label, 0, LABEL.bytes, LABEL.at);
  closeSync(file);
  return label.toString();
};
