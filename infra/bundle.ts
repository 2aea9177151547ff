import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/http/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/http/routes.ts';
import { lean } from './lean.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The directory of an endpoint's bundle, and its Lambda's logical name: `invoices-get`. */
export const bundleName = (file: string): string => file.replaceAll('/', '-');

const ENTRY = 'lambda:';

/** The module that Lambda loads: an endpoint's file, made a handler. One that is made of the table imports it. */
const entry = (file: string): string => {
  const endpoint = endpoints[file];
  if (!endpoint) throw new Error(`There is no endpoint ${file}.`);
  const lambda = isPublic(endpoint) ? 'publicLambda' : 'lambda';
  const source =
    endpoint.route === DEFAULT_ROUTE
      ? `import { endpoints } from '#functions/index.ts'; const endpoint = endpoints['${file}'];`
      : `import endpoint from '#functions/${file}.ts';`;
  return `${source} import { ${lambda} } from '#shared/runtime.ts'; export const handler = ${lambda}(endpoint);`;
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

/** The esbuild call that writes `dist/<name>/index.mjs` for every endpoint. */
export const options = (outdir: string = resolve(ROOT, 'dist')): BuildOptions => ({
  ...BUNDLING,
  absWorkingDir: ROOT,
  outdir,
  entryPoints: Object.keys(endpoints).map((file) => ({ in: ENTRY + file, out: `${bundleName(file)}/index` })),
  plugins: [entries, ...lean],
});

export const bundle = async (outdir?: string): Promise<void> => {
  const chosen = options(outdir);
  await rm(chosen.outdir as string, { recursive: true, force: true });
  await build(chosen);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const start = performance.now();
  console.error(`Building ${Object.keys(endpoints).length} bundles …`);
  await bundle();
  console.error(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s: dist/`);
}
