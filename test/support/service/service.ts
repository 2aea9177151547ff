import { gunzipSync } from 'node:zlib';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { JWTPayload } from 'jose';
import { endpoints } from '#functions/index.ts';
import type { Limiter } from '#local/engines/limits/limiter.ts';
import { limitDynamo } from '#local/engines/limits/proxy.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import type { Router } from '#local/gateway/invoke.ts';
import { checkEvent, checkResult } from '#local/gateway/payload.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { type Endpoint, isPublic, type Operation, type ReadFile } from '#shared/platform/endpoint.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { DEFAULT_ROUTE, matches, routesOf } from '#shared/platform/http/routes.ts';
import { createMemory, type Memory } from '#shared/platform/limits/memory.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { lambda, publicLambda, sendingLambda } from '#shared/runtime/endpoint-runtime.ts';
import { checkDocumented } from '#test/support/documents/check-documented.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { accessOf } from './access.ts';
import { gatewayEvent, lambdaContext, type Sent } from './event.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from './issuer.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
  readonly json: any;
}

export type Claims = JWTPayload & { account_id?: unknown; scope?: unknown; role?: unknown };

/** The Lambda handlers of all endpoints behind a router, with a real database engine and a real token issuer. */
export interface Service {
  readonly client: DynamoDBDocumentClient;
  /** The address of the database engine, without limits. */
  readonly database: string;
  readonly issuer: Issuer;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether each response is checked against docs/openapi.json. Default: in npm run test:deep. */
  readonly checks: { documented: boolean };
  /** Sends a request like API Gateway, with a token for an admin of `acct_1` unless headers or claims differ. */
  send(target: string, sent?: Sent & { claims?: Claims; remaining?: number }): Promise<Answer>;
  token(claims?: Claims): Promise<string>;
  /** Finds the handler of a request, for callers that send their own events. */
  readonly route: Router;
  stop(): Promise<void>;
}

process.env['POWERTOOLS_LOG_LEVEL'] ??= 'SILENT';
process.env['POWERTOOLS_METRICS_DISABLED'] ??= 'true';
process.env['AWS_REGION'] ??= 'local';
process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';

/** The counter of an account is never too slow on a busy machine. */
const PATIENT_MS = 20_000;

/** Longer than any run of a test. */
const TOKEN_SECONDS = 86_400;

type Variables = Readonly<Record<string, string>>;

interface Options {
  /** The client that sends messages; without it none are sent. */
  readonly queues?: SQSClient;
  /** The limits of the database engine; without it there are none. */
  readonly limiter?: Limiter | undefined;
  /** What the functions know of the accounts' limits. */
  readonly memory?: Memory;
}

/** Loads the builder of static files at first use: it is slow to load, and few tests need it. */
const readStaticFile: ReadFile = async (name) => (await import('#infra/build/static-files.ts')).fileOf(name);

/** The client of an operation. In a run of npm run test:conditions, it removes a clause from the conditions of writes. */
const clientOf: (operation: Operation, client: DynamoDBDocumentClient) => DynamoDBDocumentClient = process.env[
  'CLAUSE_RECORD'
]
  ? (await import('#test/condition-mutation/mutated-client.ts')).mutatedClient
  : (_, client) => client;

/**
 * Without a limit for an account, whose counter would add calls at random; a test of limits sets RATE_LIMIT_PER_SECOND.
 * @param extra additional variables, or a function that returns them once the engine runs
 */
export const startService = async (
  extra: Variables | (() => Promise<Variables>) = {},
  { queues, limiter, memory = createMemory(PATIENT_MS) }: Options = {},
): Promise<Service> => {
  const [database, issuer] = await Promise.all([startTestDynamo(), startIssuer()]);
  await createTables(database.endpoint);
  const engine = limiter ? await limitDynamo(database, limiter) : database;
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
  const client = createDynamoClient();
  // The client reads its endpoint at its first call, which must come before another service sets the variable.
  await client.send(new ScanCommand({ TableName: 'idempotency', Limit: 1 }));
  const defaults = {
    ...tableVariables(),
    RATE_LIMIT_PER_SECOND: '0',
    ISSUER,
    AUDIENCE,
    JWKS_URL: issuer.jwksUrl,
    EXPORTS_BUCKET: 'exports',
  };
  const environment = { ...defaults, ...(typeof extra === 'function' ? await extra() : extra) };
  const handlerOf = (endpoint: Endpoint): LambdaHandler => {
    if (isPublic(endpoint)) return publicLambda(endpoint, environment, readStaticFile);
    const options = { environment, client: clientOf(endpoint, client), memory, ...accessOf(endpoint) };
    return endpoint.sendsTo && queues ? sendingLambda(endpoint, { ...options, queues }) : lambda(endpoint, options);
  };
  const handlers = new Map<unknown, LambdaHandler>(
    Object.values(endpoints).map((endpoint) => [endpoint, handlerOf(endpoint)]),
  );
  const routes = Object.values(endpoints).flatMap(routesOf);
  const tokens = new Map<string, Promise<string>>();
  const checks = { documented: isDeep };

  const token = (claims: Claims = {}): Promise<string> => {
    const allClaims = { account_id: 'acct_1', sub: 'user_1', role: 'admin', ...claims };
    const now = Math.floor(Date.now() / 1000);
    const key = JSON.stringify(allClaims);
    const signed =
      tokens.get(key) ?? issuer.sign({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + TOKEN_SECONDS, ...allClaims });
    tokens.set(key, signed);
    return signed;
  };

  const destination = (method: string, path: string) => {
    const found = matches(routes, path).find(({ route }) => route.method === method);
    const handler = handlers.get(found?.route.target ?? endpoints['service/fallback']) as LambdaHandler;
    return { found, handler };
  };

  const route: Router = (method, path) => {
    const { found, handler } = destination(method, path);
    const routeKey = found ? `${method} ${found.route.path}` : DEFAULT_ROUTE;
    const lambda = { name: routeKey, limits: LAMBDA_DEFAULTS, load: async () => handler };
    return { lambda, routeKey, parameters: found?.parameters ?? {} };
  };

  const send: Service['send'] = async (target, { claims, remaining, ...sent } = {}) => {
    const path = target.split('?')[0] as string;
    const method = sent.method ?? 'GET';
    const { found, handler } = destination(method, path);
    const headers = { authorization: `Bearer ${await token(claims)}`, ...sent.headers };
    const event = gatewayEvent(target, { ...sent, headers }, found?.parameters, found?.route.path);
    checkEvent(event);
    const {
      statusCode = 200,
      headers: received,
      body: rawBody = '',
      isBase64Encoded,
    } = checkResult(await handler(event, lambdaContext(remaining)));
    const body = isBase64Encoded ? gunzipSync(Buffer.from(rawBody, 'base64')).toString() : rawBody;
    const lowerCase = Object.entries(received).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const response = { status: statusCode, headers: Object.fromEntries(lowerCase), text: body };
    if (checks.documented)
      checkDocumented({ method, path: found?.route.path, query: target.slice(path.length), ...response });
    return {
      ...response,
      json: /json/.test(response.headers['content-type'] ?? '') && body !== '' ? JSON.parse(body) : undefined,
    };
  };

  const stop = async () => {
    client.destroy();
    await Promise.all([engine.stop(), issuer.close()]);
  };
  return { client, database: database.endpoint, issuer, environment, checks, send, token, route, stop };
};
