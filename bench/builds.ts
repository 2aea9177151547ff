import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { workers } from '#functions/workers.ts';
import { BUNDLE_OPTIONS, buildOptions, bundle, bundleName, ROOT } from '#infra/build/bundle.ts';
import type { Candidate } from './candidates.ts';
import type { Exporter } from './exporter.ts';

/** The bundles under measure. */
export interface Builds {
  readonly baseline: string;
  readonly service: string;
  /** The export worker, and the one that it is measured against. */
  readonly exporters: { readonly peer: Exporter; readonly service: Exporter };
  /** The bytes deployed for each Lambda, largest first. */
  readonly sizes: readonly (readonly [name: string, bytes: number])[];
}

const EXPORTER = 'workers/export';
const BASELINES = ['baseline', 'export-peer'];

/** Builds the service, and what it is measured against with the same flags and everything that the SDK imports. */
export const makeBuilds = async (directory: string): Promise<Builds> => {
  const deployed = join(directory, 'service');
  const entryPoints = BASELINES.map((name) => ({
    in: fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
    out: `${name}/index`,
  }));
  await build({ ...BUNDLE_OPTIONS, absWorkingDir: ROOT, entryPoints, outdir: directory });
  await bundle(deployed);
  return {
    baseline: join(directory, 'baseline/index.mjs'),
    service: join(deployed, bundleName('invoices/get'), 'index.mjs'),
    exporters: {
      peer: { bundle: join(directory, 'export-peer/index.mjs'), node_options: '' },
      service: {
        bundle: join(deployed, bundleName(EXPORTER), 'index.mjs'),
        node_options: workers[EXPORTER]?.node_options ?? '',
      },
    },
    sizes: await sizesOf(deployed),
  };
};

/** Who pays an invoice, and how each is built. */
export type Candidates = Readonly<Record<'baseline' | 'documented' | 'service', Candidate>>;

/**
 * Builds the service and what it is compared with as the service is built, and what stands for the documentation with
 * everything that the SDK imports.
 */
export const makeCandidates = async (directory: string): Promise<Candidates> => {
  const lean = buildOptions(join(directory, 'contest-lean'));
  const entry = { in: fileURLToPath(new URL('contestants.ts', import.meta.url)), out: 'contestants' };
  await build({ ...lean, entryPoints: [...(lean.entryPoints as (typeof entry)[]), entry] });
  const plain = {
    ...BUNDLE_OPTIONS,
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: join(directory, 'contest-plain'),
  };
  await build(plain);
  const { baseline, service } = await import(join(directory, 'contest-lean/contestants.mjs'));
  const { documented } = await import(join(plain.outdir, 'contestants.mjs'));
  return { baseline, documented, service };
};

const sizesOf = async (directory: string): Promise<Builds['sizes']> => {
  const names = await readdir(directory);
  const sizes = await Promise.all(names.map(async (name) => [name, await bytesIn(join(directory, name))] as const));
  return sizes.sort(([, a], [, b]) => b - a);
};

/** Every file counts. */
const bytesIn = async (directory: string): Promise<number> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};
