import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CliError } from '#local/cli/cli-error.ts';
import type { LambdaFunction, Router } from '#local/gateway/invoke.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { DEFAULT_ROUTE, matches, type Route } from '#shared/platform/http/routes.ts';
import { LAMBDA_DEFAULTS, type LambdaLimits } from '#shared/platform/lambda/defaults.ts';
import type { Worker as Declared } from '#shared/platform/worker.ts';

/** What was built: the routes, and for each the name of its Lambda's bundle. */
export interface Built {
  readonly routes: readonly Route<string>[];
  /** The Lambda of whatever no route takes. */
  readonly fallback: string;
  readonly workers: readonly BuiltWorker[];
}

/** A worker's bundle, and what starts it. */
export interface BuiltWorker {
  readonly name: string;
  readonly limits: LambdaLimits;
  readonly trigger: Declared['trigger'];
}

/** The functions of one build. */
export interface Functions {
  readonly route: Router;
  readonly workers: readonly BuiltWorker[];
  /** @param name that of a worker's bundle */
  worker<E, R>(name: string): LambdaFunction<E, R>;
}

/** What was not built, and why. */
export interface BuildErrors {
  readonly errors: string;
}

/** Where in this repository an error came about; Node's own steps and the packages' say nothing. */
const describeErrors = ({ stack, message }: Error): string =>
  stack?.replaceAll(/\n +at .*(node:|node_modules).*/g, '') ?? message;

/**
 * Builds every Lambda's bundle, and leaves those that are there as they are when it cannot.
 * @throws Failure with what the compiler says
 */
export const buildBundles = (directory: string): Promise<Built> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./bundler.ts', import.meta.url), { workerData: directory });
    worker.once('message', (result: Built | BuildErrors) => {
      if ('errors' in result) reject(new CliError(result.errors));
      else resolve(result);
    });
    worker.once('error', (error: Error) => reject(new CliError(describeErrors(error))));
    worker.once('exit', (code) => reject(new CliError(`The build ended with ${code}.`)));
  });

let builds = 0;

/** The functions of one build, each imported when it is first called. */
export const functionsOf = (directory: string, { routes, fallback, workers }: Built): Functions => {
  // Node keeps a module for as long as it runs, under its whole address.
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
    route: (method, path) => {
      const found = matches(routes, path).find(({ route }) => route.method === method);
      if (!found) return { lambda: endpoint(fallback), routeKey: DEFAULT_ROUTE, parameters: {} };
      const { route, parameters } = found;
      return { lambda: endpoint(route.target), routeKey: `${route.method} ${route.path}`, parameters };
    },
    workers,
    worker: (name) => {
      const { limits } = workers.find((worker) => worker.name === name) as BuiltWorker;
      return { name, limits, load: () => load(name) };
    },
  };
};
