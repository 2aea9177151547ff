import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { type BuildFailure, build, formatMessages, type Message, type OutputFile, stop } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { buildOptions, bundleName, ROOT } from '#infra/build/bundle.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import type { BuildErrors, BuildResult } from './bundles.ts';
import { fingerprint } from './fingerprint.ts';

// Runs in a thread that imports the table of endpoints again, so that new endpoints and routes need no restart.

const directory = workerData as string;

/** Writes a file atomically, because another server may be loading it. */
const write = async ({ path, contents }: Pick<OutputFile, 'path' | 'contents'>): Promise<void> => {
  const temporary = `${path}.${process.pid}-${threadId}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, contents);
  await rename(temporary, path);
};

const buildIfChanged = async (): Promise<void> => {
  const fingerprintFile = join(directory, '.fingerprint');
  const current = await fingerprint(ROOT);
  if ((await readFile(fingerprintFile, 'utf8').catch(() => '')) === current) return;
  const { outputFiles } = await build({ ...buildOptions(directory), write: false, logLevel: 'silent' });
  await Promise.all(outputFiles.map(write));
  await write({ path: fingerprintFile, contents: Buffer.from(current) });
};

const buildResult = (): BuildResult => {
  const table = Object.entries(endpoints).map(([file, endpoint]) => ({ name: bundleName(file), endpoint }));
  return {
    routes: table.flatMap(({ name, endpoint }) => routesOf(endpoint).map((route) => ({ ...route, target: name }))),
    fallback: table.find(({ endpoint }) => endpoint.route === DEFAULT_ROUTE)?.name as string,
    workers: Object.entries(workers).map(([file, { seconds, memory_mb, trigger }]) => ({
      name: bundleName(file),
      limits: { seconds, memory_mb },
      trigger,
    })),
  };
};

/** esbuild reports an error once for each bundle that contains the file; this keeps one of each. */
const toBuildErrors = async (errors: readonly Message[]): Promise<BuildErrors> => {
  const distinct = new Map(errors.map((error) => [JSON.stringify([error.text, error.location]), error]));
  return { errors: (await formatMessages([...distinct.values()], { kind: 'error' })).join('').trimEnd() };
};

try {
  await buildIfChanged();
  parentPort?.postMessage(buildResult());
} catch (error) {
  const { errors } = error as BuildFailure;
  if (!errors) throw error;
  parentPort?.postMessage(await toBuildErrors(errors));
} finally {
  await stop();
}
