import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { type BuildFailure, build, formatMessages, type Message, type OutputFile, stop } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { bundleName, options, ROOT } from '#infra/build/bundle.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import type { BuildErrors, Built } from './bundles.ts';
import { fingerprint } from './fingerprint.ts';

// A thread of its own reads the endpoint table anew, so that a new endpoint or route is served without a restart.

const directory = workerData as string;

/** Another server may load this very file at this moment: it finds the former one or the new one, never a half. */
const write = async ({ path, contents }: Pick<OutputFile, 'path' | 'contents'>): Promise<void> => {
  const draft = `${path}.${process.pid}-${threadId}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, contents);
  await rename(draft, path);
};

/** Builds what has changed since the last time, which is all or nothing. */
const refresh = async (): Promise<void> => {
  const mark = join(directory, '.fingerprint');
  const current = await fingerprint(ROOT);
  if ((await readFile(mark, 'utf8').catch(() => '')) === current) return;
  const { outputFiles } = await build({ ...options(directory), write: false, logLevel: 'silent' });
  await Promise.all(outputFiles.map(write));
  await write({ path: mark, contents: Buffer.from(current) });
};

const built = (): Built => {
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

/** What the compiler says, each thing once: it says the same of every bundle that holds a file. */
const refused = async (errors: readonly Message[]): Promise<BuildErrors> => {
  const distinct = new Map(errors.map((error) => [JSON.stringify([error.text, error.location]), error]));
  return { errors: (await formatMessages([...distinct.values()], { kind: 'error' })).join('').trimEnd() };
};

try {
  await refresh();
  parentPort?.postMessage(built());
} catch (error) {
  const { errors } = error as BuildFailure;
  if (!errors) throw error;
  parentPort?.postMessage(await refused(errors));
} finally {
  await stop();
}
