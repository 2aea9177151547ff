import { rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import { type Endpoint, isPublic, type Operation } from '#shared/platform/http/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { checkedTables } from '#shared/runtime/settings.ts';
import { describeNode, makeCodeCaches } from './code-cache/code-caches.ts';
import { sdkPlugins } from './sdk-replacements.ts';
import { fileEntry, staticFiles } from './static-files.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export { CODE_CACHE } from './code-cache/code-caches.ts';

export const bundleName = (file: string): string => file.replaceAll('/', '-');

const FILES = Object.keys({ ...endpoints, ...workers });

const ENTRY = 'lambda:';

/**
 * The source of the module that Lambda loads, with the fields of the tables that the function writes. The fallback
 * endpoint is created in the table of endpoints, and so it is imported from there.
 */
const entrySource = (file: string): string => {
  const worker = workers[file];
  const endpoint = endpoints[file];
  const declared = worker ?? endpoint;
  if (!declared)
    throw new Error(`No endpoint and no worker is called ${file}: see functions/index.ts and functions/workers.ts.`);
  const source =
    declared === endpoint && endpoint.route === DEFAULT_ROUTE
      ? `import { endpoints } from '#functions/index.ts'; const declared = endpoints['${file}'];`
      : `import declared from '#functions/${file}.ts';`;
  const checked = endpoint && isPublic(endpoint) ? '' : checkedTables(declared as Operation | Worker).join();
  const checks = `import { ${checked} } from '#shared/invoicing/row-checks.ts'; const checks = { ${checked} };`;
  return `${source} ${checks} ${worker ? WORKER : endpointRuntime(endpoint as Endpoint)}`;
};

const WORKER = `import { workerLambda } from '#shared/runtime/worker-runtime.ts';
  export const handler = workerLambda(declared, undefined, undefined, { checks });`;

const endpointRuntime = (endpoint: Endpoint): string =>
  `import * as runtime from '#shared/runtime/endpoint-runtime.ts'; export const handler = runtime.${lambdaOf(endpoint)};`;

const lambdaOf = (endpoint: Endpoint): string => {
  if (isPublic(endpoint)) return 'publicLambda(declared, process.env, runtime.readFrom(import.meta.dirname))';
  return `${endpoint.sendsTo ? 'sendingLambda' : 'lambda'}(declared, { checks })`;
};

const entryPlugin: Plugin = {
  name: 'lambda-entries',
  setup(build) {
    const filter = new RegExp(`^${ENTRY}`);
    build.onResolve({ filter }, ({ path }) => ({ path: path.slice(ENTRY.length), namespace: 'lambda' }));
    build.onLoad({ filter: /.*/, namespace: 'lambda' }, ({ path }) => ({
      contents: entrySource(path),
      resolveDir: ROOT,
    }));
  },
};

/** The esbuild options of every bundle. The benchmark also builds its baseline with them. */
export const BUNDLE_OPTIONS = {
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

const entriesOf = (file: string, script: string): { in: string; out: string }[] => {
  const name = bundleName(file);
  const endpoint = endpoints[file];
  const names = endpoint && isPublic(endpoint) ? (endpoint.files ?? []) : [];
  return [{ in: ENTRY + file, out: `${name}/${script}` }, ...names.map((each) => fileEntry(name, each))];
};

/** Writes `<name>/<script>.mjs` for every endpoint and every worker, with the static files of the endpoint next to it. */
export const buildOptions = (outdir: string, script = 'index'): BuildOptions => ({
  ...BUNDLE_OPTIONS,
  absWorkingDir: ROOT,
  outdir,
  entryPoints: FILES.flatMap((file) => entriesOf(file, script)),
  plugins: [entryPlugin, staticFiles, ...sdkPlugins],
});

/** V8 caches the code of a script. */
const COMMONJS = { format: 'cjs', define: { 'import.meta.dirname': '__dirname' } } as const satisfies BuildOptions;

/** The form of a bundle that shared/runtime/loader.ts runs. */
export const SCRIPT_OPTIONS = {
  ...BUNDLE_OPTIONS,
  ...COMMONJS,
  outExtension: { '.js': '.js' },
  banner: { js: '(function (module, __dirname) {' },
  footer: { js: '})' },
  sourcemap: 'external',
  sourcesContent: false,
} as const satisfies BuildOptions;

export const buildLoader = async (): Promise<Uint8Array> => {
  const entryPoints = [resolve(ROOT, 'shared/runtime/loader.ts')];
  const options = { ...BUNDLE_OPTIONS, ...COMMONJS, entryPoints, outdir: '.', write: false } as const;
  const { outputFiles } = await build({ ...options, minify: false });
  return (outputFiles[0] as { readonly contents: Uint8Array }).contents;
};

/** Which processor the functions run on; `process.arch` has the same names. */
export type Processor = 'arm64' | 'x64';

/**
 * Writes each function's folder as it is deployed: the bundle with its source map, V8's code cache, and the loader.
 * @returns a sentence about the caches
 */
export const bundle = async (outdir: string, processor: string = process.arch): Promise<string> => {
  await rm(outdir, { recursive: true, force: true });
  const options = { ...buildOptions(outdir, 'bundle'), ...SCRIPT_OPTIONS };
  const [loader] = await Promise.all([buildLoader(), build(options)]);
  await Promise.all(FILES.map((file) => writeFile(join(outdir, bundleName(file), 'index.cjs'), loader)));
  const node = await describeNode();
  if (!node.endsWith(` ${processor}`))
    return `No code caches: the functions run on ${processor}, and this is Node ${node} (docs/deploy.md#code-caches).`;
  const start = performance.now();
  await makeCodeCaches(
    outdir,
    FILES.map((file) => ({ file, folder: bundleName(file) })),
  );
  return `Code caches of Node ${node} in ${secondsSince(start)} s.`;
};

const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1);

/** Writes the bundles in `dist/` and prints the time that this takes. */
export const buildForAws = async (processor?: Processor): Promise<void> => {
  const start = performance.now();
  console.error(`Building ${FILES.length} bundles …`);
  const caches = await bundle(resolve(ROOT, 'dist'), processor);
  console.error(`Built in ${secondsSince(start)} s: dist/\n${caches}`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildForAws();
