import { endpoints } from '#functions/index.ts';
import fallback from '#functions/service/fallback.ts';
import { workers } from '#functions/workers.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import type { DynamoContext, RowChecks } from '#shared/platform/dynamodb/client.ts';
import { type Endpoint, isPublic, type Operation, type ReadFile } from '#shared/platform/http/endpoint.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { DEFAULT_ROUTE, matches, type Route, routesOf } from '#shared/platform/http/routes.ts';
import { createMemory, type Memory } from '#shared/platform/limits/limiter.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { lambda, publicLambda, sendingLambda } from '#shared/runtime/endpoint-runtime.ts';
import { checkedTables, type Environment } from '#shared/runtime/settings.ts';
import { type clients, workerLambda } from '#shared/runtime/worker-runtime.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { createHandle, type Destination, type Handle, type Router } from './gateway/handle.ts';
import { type Invocation, invoke } from './gateway/invoke.ts';
import type { LocalEndpoint } from './gateway/local-endpoints.ts';

/**
 * The service in this process: the endpoints behind API Gateway's routes, and the workers, from the same declarations
 * as the deployed functions. `npm start`, the tests and the demo data send every request through `handle`.
 */
export interface App {
  readonly handle: Handle;
  /**
   * Invokes a worker with the event of its trigger.
   * @param worker the name of its file, or a declaration
   * @throws the worker's error
   */
  work<R>(worker: string | Worker, event: unknown, invocation?: Invocation): Promise<R>;
}

type Clients = ReturnType<typeof clients>;

export type ClientOf = (
  declared: Operation | Worker,
  client: Clients['dynamo'],
  environment: Environment,
) => Clients['dynamo'];

interface AppOptions {
  readonly environment: Environment;
  /** Without a client of SQS, endpoints send no messages. */
  readonly clients: Pick<Clients, 'dynamo'> & Partial<Clients>;
  /** Endpoints of this server alone, whose paths come before other matching paths. */
  readonly local?: readonly LocalEndpoint[];
  /** Memory of the limits. The default memory waits longer for the counter than a function does. */
  readonly memory?: Memory;
  /** The database client of an operation or a worker. */
  readonly clientOf?: ClientOf;
}

/** Many requests at once share this process, and the counter of a limit responds between them. */
const MAX_WAIT_MS = 5000;

/** Each handler is created at its first call, as at a cold start. */
export const openApp = ({ local = [], ...given }: AppOptions): App => {
  const options = { memory: createMemory(MAX_WAIT_MS), ...given };
  const own = new Map<Endpoint, Environment>(local.map(({ endpoint, environment }) => [endpoint, environment]));
  const all = [...own.keys(), ...Object.values(endpoints).filter(({ route }) => route !== DEFAULT_ROUTE)];
  const other = fallback(all);
  const handlers = new Map<Endpoint, LambdaHandler>();
  const handlerOf = (endpoint: Endpoint): LambdaHandler => {
    const handler = handlers.get(endpoint) ?? createHandler(endpoint, options, own.get(endpoint));
    handlers.set(endpoint, handler);
    return handler;
  };
  const route = createRouter(all.flatMap(routesOf), other, handlerOf);
  const running = new Map<Worker, ReturnType<typeof workerLambda>>();
  return {
    handle: createHandle(route),
    work(name, event, invocation) {
      const worker = typeof name === 'string' ? (workers[name] as Worker) : name;
      const load = async () => {
        const handler = running.get(worker) ?? createWorker(worker, options);
        running.set(worker, handler);
        return handler as never;
      };
      return invoke({ name: typeof name === 'string' ? name : 'worker', limits: worker, load }, event, invocation);
    },
  };
};

const createRouter =
  (routes: readonly Route<Endpoint>[], other: Endpoint, handlerOf: (endpoint: Endpoint) => LambdaHandler): Router =>
  (method, path): Destination => {
    const found = matches(routes, path).find((match) => match.route.method === method);
    const endpoint = found?.route.target ?? other;
    const load = async () => {
      // As those of a deployed function, its files exist before it runs.
      if (isPublic(endpoint)) await Promise.all((endpoint.files ?? []).map(readStaticFile));
      return handlerOf(endpoint);
    };
    const lambda = { name: endpoint.route, limits: LAMBDA_DEFAULTS, load };
    const routeKey = found ? `${method} ${found.route.path}` : DEFAULT_ROUTE;
    return { lambda, routeKey, parameters: found?.parameters ?? {} };
  };

/** Loads the builder of static files at first use: it is slow to load, and few requests need it. */
const readStaticFile: ReadFile = async (name) => (await import('#infra/build/static-files.ts')).fileOf(name);

const createHandler = (
  endpoint: Endpoint,
  { environment, clients, memory, clientOf = (_, client) => client }: AppOptions & { readonly memory: Memory },
  own: Environment | undefined,
): LambdaHandler => {
  if (isPublic(endpoint)) return publicLambda(endpoint, own ?? environment, readStaticFile);
  const client = clientOf(endpoint, clients.dynamo, environment);
  const options = { environment, client, memory, ...rowChecksOf(endpoint) };
  const { sqs } = clients;
  return endpoint.sendsTo && sqs ? sendingLambda(endpoint, { ...options, queues: sqs }) : lambda(endpoint, options);
};

const createWorker = (worker: Worker, { environment, clients, clientOf = (_, client) => client }: AppOptions) => {
  const own = { ...clients, dynamo: clientOf(worker, clients.dynamo, environment) } as Clients;
  return workerLambda(worker, environment, own, rowChecksOf(worker));
};

/** The checks of rows that the bundle of a declaration contains. */
export const rowChecksOf = (declared: Pick<Worker, 'uses'>): Pick<DynamoContext, 'checks'> => {
  const tables = checkedTables(declared);
  const own = Object.entries(checks as RowChecks).filter(([table]) => tables.includes(table as TableName));
  return { checks: Object.fromEntries(own) };
};
