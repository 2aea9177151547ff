import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { workers } from '#functions/workers.ts';
import { BUNDLE_OPTIONS, bundle, bundleName, CODE_CACHE, ROOT } from '#infra/build/bundle.ts';

/** The bundles that are measured. */
export interface Builds {
  readonly baseline: string;
  readonly service: string;
  readonly exportWorker: { readonly bundle: string; readonly node_options: string };
  /** The bytes of each Lambda's code and code cache, largest first. */
  readonly sizes: readonly (readonly [name: string, bytes: number])[];
}

const EXPORT_WORKER = 'workers/export';
const BASELINE = fileURLToPath(new URL('baseline.ts', import.meta.url));

/** Builds the service; and the baseline, with the same esbuild flags and the unchanged SDK. */
export const createBuilds = async (directory: string): Promise<Builds> => {
  const deployed = join(directory, 'service');
  const entryPoints = [{ in: BASELINE, out: 'baseline/index' }];
  await build({ ...BUNDLE_OPTIONS, absWorkingDir: ROOT, entryPoints, outdir: directory });
  await bundle(deployed);
  return {
    baseline: join(directory, 'baseline/index.mjs'),
    service: join(deployed, bundleName('invoices/get'), 'index.cjs'),
    exportWorker: {
      bundle: join(deployed, bundleName(EXPORT_WORKER), 'index.cjs'),
      node_options: workers[EXPORT_WORKER]?.node_options ?? '',
    },
    sizes: await sizesOf(deployed),
  };
};

const sizesOf = async (directory: string): Promise<Builds['sizes']> => {
  const names = await readdir(directory);
  const sizes = await Promise.all(names.map(async (name) => [name, await bytesIn(join(directory, name))] as const));
  return sizes.sort(([, a], [, b]) => b - a);
};

const bytesIn = async (directory: string): Promise<number> => {
  const sizes = await Promise.all(
    ['bundle.js', CODE_CACHE].map(async (file) => (await stat(join(directory, file))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};
