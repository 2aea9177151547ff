import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import {
  type BuildFailure,
  type BuildOptions,
  build,
  formatMessages,
  type Message,
  type OutputFile,
  stop,
} from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { buildOptions, bundleName, ROOT } from '#infra/build/bundle.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import type { BuildErrors, BuildResult, BuildStart } from './bundles.ts';
import { fingerprint } from './inputs.ts';

// Runs in a thread that imports the table of endpoints again, so that new endpoints and routes need no restart.

const directory = workerData as string;

/** Writes a file atomically, because another server may be loading it. */
const write = async ({ path, contents }: Pick<OutputFile, 'path' | 'contents'>): Promise<void> => {
  const temporary = `${path}.${process.pid}-${threadId}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, contents);
  await rename(temporary, path);
};

/**
 * For fast builds and debuggers: shared code is in chunks, which are loaded once, and source maps refer to the source
 * files. The names of the chunks contain a hash of their contents, because Node caches modules by URL.
 */
const options: BuildOptions = {
  ...buildOptions(directory),
  minify: false,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: 'linked',
  sourcesContent: false,
};

interface Manifest {
  readonly fingerprint: string;
  readonly files: readonly string[];
}

const MANIFEST = join(directory, 'manifest.json');

const readManifest = async (): Promise<Manifest> => {
  const text = await readFile(MANIFEST, 'utf8').catch(() => '{"fingerprint": "", "files": []}');
  return JSON.parse(text);
};

const CHUNKS = join(directory, 'chunks');

const removeOldChunks = async (used: readonly string[]): Promise<void> => {
  const paths = (await readdir(CHUNKS)).filter((name) => /\.(mjs|map)$/.test(name)).map((name) => join(CHUNKS, name));
  await Promise.all(paths.filter((path) => !used.includes(path)).map((path) => rm(path, { force: true })));
};

const buildIfChanged = async (current: string): Promise<void> => {
  const last = await readManifest();
  if (last.fingerprint === current) return;
  parentPort?.postMessage({ building: Object.keys({ ...endpoints, ...workers }).length } satisfies BuildStart);
  const { outputFiles = [] } = await build({ ...options, write: false, logLevel: 'silent' });
  await Promise.all(outputFiles.map(write));
  const files = outputFiles.map(({ path }) => path);
  await write({ path: MANIFEST, contents: Buffer.from(JSON.stringify({ fingerprint: current, files })) });
  // A request may still be loading the last build.
  await removeOldChunks([...files, ...last.files]);
};

const buildResult = (current: string): BuildResult => {
  const table = Object.entries(endpoints).map(([file, endpoint]) => ({ name: bundleName(file), endpoint }));
  return {
    fingerprint: current,
    routes: table.flatMap(({ name, endpoint }) => routesOf(endpoint).map((route) => ({ ...route, target: name }))),
    fallback: table.find(({ endpoint }) => endpoint.route === DEFAULT_ROUTE)?.name as string,
    workers: Object.entries(workers).map(([file, { seconds, memory_mb, trigger }]) => ({
      name: bundleName(file),
      limits: { seconds, memory_mb },
      trigger,
    })),
  };
};

/** Removes duplicates: esbuild reports an error once for each bundle that contains the file. */
const toBuildErrors = async (errors: readonly Message[]): Promise<BuildErrors> => {
  const distinct = new Map(errors.map((error) => [JSON.stringify([error.text, error.location]), error]));
  return { errors: (await formatMessages([...distinct.values()], { kind: 'error' })).join('').trimEnd() };
};

try {
  const current = await fingerprint(ROOT);
  await buildIfChanged(current);
  parentPort?.postMessage(buildResult(current));
} catch (error) {
  const { errors } = error as BuildFailure;
  if (!errors) throw error;
  parentPort?.postMessage(await toBuildErrors(errors));
} finally {
  await stop();
}
