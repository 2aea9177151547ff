import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { ExportWorker } from '#bench/exports/export-run.ts';
import { workers } from '#functions/workers.ts';
import { BUNDLE_OPTIONS, buildOptions, bundle, bundleName, CODE_CACHE, ROOT } from '#infra/build/bundle.ts';

/** The bundles that are measured. */
export interface Builds {
  readonly baseline: string;
  readonly service: string;
  readonly exportWorkers: { readonly simple: ExportWorker; readonly service: ExportWorker };
  /** The bytes of each Lambda's code and code cache, largest first. */
  readonly sizes: readonly (readonly [name: string, bytes: number])[];
}

const EXPORT_WORKER = 'workers/export';
const BASELINES = { baseline: 'baseline.ts', 'simple-export-worker': '../exports/simple-export-worker.ts' };

/** Builds the service; and the baselines, with the same esbuild flags and the unchanged SDK. */
export const createBuilds = async (directory: string): Promise<Builds> => {
  const deployed = join(directory, 'service');
  const entryPoints = Object.entries(BASELINES).map(([name, file]) => ({
    in: fileURLToPath(new URL(file, import.meta.url)),
    out: `${name}/index`,
  }));
  await build({ ...BUNDLE_OPTIONS, absWorkingDir: ROOT, entryPoints, outdir: directory });
  await bundle(deployed);
  return {
    baseline: join(directory, 'baseline/index.mjs'),
    service: join(deployed, bundleName('invoices/get'), 'index.cjs'),
    exportWorkers: {
      simple: { bundle: join(directory, 'simple-export-worker/index.mjs'), node_options: '' },
      service: {
        bundle: join(deployed, bundleName(EXPORT_WORKER), 'index.cjs'),
        node_options: workers[EXPORT_WORKER]?.node_options ?? '',
      },
    },
    sizes: await sizesOf(deployed),
  };
};

export type Candidates = typeof import('#bench/idempotency/candidates.ts');

/** Builds both candidates like a deployed function. */
export const buildCandidates = async (directory: string): Promise<Candidates> => {
  const options = buildOptions(join(directory, 'candidates'));
  const entry = { in: fileURLToPath(new URL('../idempotency/candidates.ts', import.meta.url)), out: 'candidates' };
  await build({ ...options, entryPoints: [...(options.entryPoints as (typeof entry)[]), entry] });
  return import(join(directory, 'candidates/candidates.mjs'));
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
