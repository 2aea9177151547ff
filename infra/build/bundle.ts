import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { checkedTables, usesFeed, usesPageIndex } from '#shared/lambda/settings.ts';
import { type Endpoint, isPublic } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { sdkPlugins } from './sdk-replacements.ts';
import { fileEntry, staticFiles } from './static-files.ts';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const bundleName = (file: string): string => file.replaceAll('/', '-');

const FILES = Object.keys({ ...endpoints, ...workers });

const ENTRY = 'lambda:';

/**
 * The source of the module that Lambda loads. The table of endpoints creates the fallback endpoint, so it is imported
 * from there.
 */
const entrySource = (file: string): string => {
  if (workers[file]) {
    const { imports, value } = accessOf(workers[file]);
    const source = `import worker from '#functions/${file}.ts'; import { workerLambda } from '#shared/lambda/worker-runtime.ts';`;
    return `${source} ${imports} export const handler = workerLambda(worker, undefined, undefined, ${value});`;
  }
  const endpoint = endpoints[file];
  if (!endpoint)
    throw new Error(`No endpoint and no worker is called ${file}: see functions/index.ts and functions/workers.ts.`);
  const source =
    endpoint.route === DEFAULT_ROUTE
      ? `import { endpoints } from '#functions/index.ts'; const endpoint = endpoints['${file}'];`
      : `import endpoint from '#functions/${file}.ts';`;
  const imports = isPublic(endpoint) ? '' : accessOf(endpoint).imports;
  return `${source} import * as runtime from '#shared/lambda/runtime.ts'; ${imports} export const handler = runtime.${lambdaOf(endpoint)};`;
};

const lambdaOf = (endpoint: Endpoint): string => {
  if (isPublic(endpoint)) return 'publicLambda(endpoint, process.env, runtime.readFrom(import.meta.dirname))';
  return `${endpoint.sendsTo ? 'sendingLambda' : 'lambda'}(endpoint, ${accessOf(endpoint).value})`;
};

const FEED = "import { FEED } from '#shared/platform/data/feed-access.ts';";
const PAGES = "import { PAGES } from '#shared/platform/data/page-access.ts';";

/** The parts of the data layer that only some Lambdas load. */
const accessOf = (declared: { readonly uses: object }): { imports: string; value: string } => {
  const [feed, pages, checks] = [usesFeed(declared), usesPageIndex(declared), checkedTables(declared).join()];
  return {
    imports: `${feed ? FEED : ''} ${pages ? PAGES : ''} ${checks && `import { ${checks} } from '#shared/invoicing/row-checks.ts';`}`,
    value: `{ ${feed ? 'feed: FEED,' : ''} ${pages ? 'pages: PAGES,' : ''} ${checks && `checks: { ${checks} }`} }`,
  };
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

const entriesOf = (file: string): { in: string; out: string }[] => {
  const name = bundleName(file);
  const endpoint = endpoints[file];
  const names = endpoint && isPublic(endpoint) ? (endpoint.files ?? []) : [];
  return [{ in: ENTRY + file, out: `${name}/index` }, ...names.map((each) => fileEntry(name, each))];
};

/**
 * Writes `dist/<name>/index.mjs` for every endpoint and every worker, with the static files of the endpoint next to it.
 */
export const buildOptions = (outdir: string = resolve(ROOT, 'dist')): BuildOptions => ({
  ...BUNDLE_OPTIONS,
  absWorkingDir: ROOT,
  outdir,
  entryPoints: FILES.flatMap(entriesOf),
  plugins: [entryPlugin, staticFiles, ...sdkPlugins],
});

export const bundle = async (outdir?: string): Promise<void> => {
  const options = buildOptions(outdir);
  await rm(options.outdir as string, { recursive: true, force: true });
  await build(options);
};

/** Writes the bundles in `dist/` and prints the time that this takes. */
export const buildForAws = async (): Promise<void> => {
  const start = performance.now();
  console.error(`Building ${FILES.length} bundles …`);
  await bundle();
  console.error(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s: dist/`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildForAws();
