import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { isPublic } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { leanBundle } from './sdk-replacements.ts';
import { fileEntry, files } from './static-files.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The directory of an endpoint's bundle, and its Lambda's logical name: `invoices-get`. */
export const bundleName = (file: string): string => file.replaceAll('/', '-');

/** The file of every endpoint and every worker. */
const FILES = Object.keys({ ...endpoints, ...workers });

const ENTRY = 'lambda:';

/** The module that Lambda loads: the file of an endpoint or a worker, made a handler. One made of the table imports it. */
const entry = (file: string): string => {
  if (workers[file]) {
    const source = `import worker from '#functions/${file}.ts'; import { workerLambda } from '#shared/lambda/worker-runtime.ts';`;
    return `${source} export const handler = workerLambda(worker);`;
  }
  const endpoint = endpoints[file];
  if (!endpoint) throw new Error(`There is neither endpoint nor worker ${file}.`);
  const lambda = isPublic(endpoint) ? 'publicLambda' : endpoint.sendsTo ? 'sendingLambda' : 'lambda';
  const source =
    endpoint.route === DEFAULT_ROUTE
      ? `import { endpoints } from '#functions/index.ts'; const endpoint = endpoints['${file}'];`
      : `import endpoint from '#functions/${file}.ts';`;
  return `${source} import { ${lambda} } from '#shared/lambda/runtime.ts'; export const handler = ${lambda}(endpoint);`;
};

const entries: Plugin = {
  name: 'lambda-entries',
  setup(build) {
    const filter = new RegExp(`^${ENTRY}`);
    build.onResolve({ filter }, ({ path }) => ({ path: path.slice(ENTRY.length), namespace: 'lambda' }));
    build.onLoad({ filter: /.*/, namespace: 'lambda' }, ({ path }) => ({ contents: entry(path), resolveDir: ROOT }));
  },
};

/** What every bundle of this repository is built with; the bench builds its floor with it, too. */
export const BUNDLING = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  outExtension: { '.js': '.mjs' },
  legalComments: 'none',
  logLevel: 'warning',
} as const satisfies BuildOptions;

const entriesOf = (file: string): { in: string; out: string }[] => {
  const name = bundleName(file);
  const endpoint = endpoints[file];
  const beside = endpoint && isPublic(endpoint) ? (endpoint.files ?? []) : [];
  return [{ in: ENTRY + file, out: `${name}/index` }, ...beside.map((one) => fileEntry(name, one))];
};

/**
 * The esbuild call that writes `dist/<name>/index.mjs` for every endpoint and every worker, and beside it the files
 * that it serves.
 */
export const options = (outdir: string = resolve(ROOT, 'dist')): BuildOptions => ({
  ...BUNDLING,
  absWorkingDir: ROOT,
  outdir,
  entryPoints: FILES.flatMap(entriesOf),
  plugins: [entries, files, ...leanBundle],
});

export const bundle = async (outdir?: string): Promise<void> => {
  const chosen = options(outdir);
  await rm(chosen.outdir as string, { recursive: true, force: true });
  await build(chosen);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  console.error(`Building ${FILES.length} bundles …`);
  await bundle();
  console.error(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s: dist/`);
}
