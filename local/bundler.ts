import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { build, type OutputFile, stop } from 'esbuild';
import { endpoints } from '#functions/index.ts';
import { bundleName, options } from '#infra/bundle.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/http/routes.ts';
import type { Built } from './bundles.ts';

/** Another server may load this very file at this moment: it finds the former one or the new one, never a half. */
const write = async ({ path, contents }: OutputFile): Promise<void> => {
  const draft = `${path}.${process.pid}-${threadId}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, contents);
  await rename(draft, path);
};

// A thread reads the endpoint table anew, so that a new endpoint or route is served without a restart.
const { outputFiles } = await build({ ...options(workerData), write: false });
await Promise.all(outputFiles.map(write));
await stop();

const table = Object.entries(endpoints).map(([file, endpoint]) => ({ name: bundleName(file), endpoint }));
const built: Built = {
  routes: table.flatMap(({ name, endpoint }) => routesOf(endpoint).map((route) => ({ ...route, target: name }))),
  fallback: table.find(({ endpoint }) => endpoint.route === DEFAULT_ROUTE)?.name as string,
};
parentPort?.postMessage(built);
