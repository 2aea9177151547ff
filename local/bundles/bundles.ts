import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CliError } from '#local/cli/cli-error.ts';
import type { LambdaFunction, Router } from '#local/gateway/invoke.ts';
import { readableStack } from '#local/logs/stack.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { DEFAULT_ROUTE, matches, type Route } from '#shared/platform/http/routes.ts';
import type { Worker as WorkerDeclaration } from '#shared/platform/worker.ts';
import { LAMBDA_DEFAULTS, type LambdaLimits } from '#shared/runtime/defaults.ts';

/** The routes, each with the name of its Lambda's bundle. */
export interface BuildResult {
  /** A hash of everything that the bundles depend on. */
  readonly fingerprint: string;
  readonly routes: readonly Route<string>[];
  /** The Lambda for requests that match no route. */
  readonly fallback: string;
  readonly workers: readonly WorkerBundle[];
}

export interface WorkerBundle {
  readonly name: string;
  readonly limits: LambdaLimits;
  readonly trigger: WorkerDeclaration['trigger'];
}

export interface Functions {
  readonly fingerprint: string;
  readonly route: Router;
  readonly workers: readonly WorkerBundle[];
  worker<E, R>(name: string): LambdaFunction<E, R>;
}

/** The bundler's message when it starts to build: the number of bundles. */
export interface BuildStart {
  readonly building: number;
}

export interface BuildErrors {
  readonly errors: string;
}

/**
 * Builds the bundles of all Lambdas, unless they are up to date. If that fails, the previous bundles stay.
 * @param onStart called with the number of bundles if they are not up to date
 */
export const buildBundles = (directory: string, onStart: (count: number) => void = () => {}): Promise<BuildResult> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./bundler.ts', import.meta.url), { workerData: directory });
    worker.on('message', (message: BuildStart | BuildResult | BuildErrors) => {
      if ('building' in message) onStart(message.building);
      else if ('errors' in message) reject(new CliError(message.errors));
      else resolve(message);
    });
    worker.once('error', (error: Error) => reject(new CliError(readableStack(error.stack ?? error.message))));
    worker.once('exit', (code) => reject(new CliError(`The build exited with ${code}.`)));
  });

// Stacks name the source files.
module.setSourceMapsSupport(true);

let builds = 0;

export const functionsOf = (directory: string, { fingerprint, routes, fallback, workers }: BuildResult): Functions => {
  // Node caches modules by URL, so each build needs its own.
  builds += 1;
  const query = `?build=${builds}`;
  const load = async (name: string) =>
    (await import(pathToFileURL(join(directory, name, 'index.mjs')) + query)).handler;
  const endpoint = (name: string): LambdaFunction => ({
    name,
    limits: LAMBDA_DEFAULTS,
    load: async (): Promise<LambdaHandler> => load(name),
  });
  return {
    fingerprint,
    route: (method, path) => {
      const found = matches(routes, path).find(({ route }) => route.method === method);
      if (!found) return { lambda: endpoint(fallback), routeKey: DEFAULT_ROUTE, parameters: {} };
      const { route, parameters } = found;
      return { lambda: endpoint(route.target), routeKey: `${route.method} ${route.path}`, parameters };
    },
    workers,
    worker: (name) => {
      const { limits } = workers.find((worker) => worker.name === name) as WorkerBundle;
      return { name, limits, load: () => load(name) };
    },
  };
};
