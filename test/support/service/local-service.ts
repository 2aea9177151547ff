import { gunzipSync } from 'node:zlib';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type ClientOf, openApp } from '#local/app.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { createMemory, type Memory } from '#shared/platform/limits/limiter.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { makePatient, PATIENCE_MS } from '#test/support/engine/patience.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { type Client, createClient, type Deployment } from './client.ts';
import { receivedRequest } from './event.ts';
import { grantedClient } from './granted-client.ts';
import { AUDIENCE, createIssuer, ISSUER, type Issuer } from './issuer.ts';
import type { TokenSource } from './tokens.ts';
import type { ReceivedResponse } from './transport.ts';

/**
 * The Lambda handlers of all endpoints behind a router, with a real database engine and a real token issuer. The usual
 * account is `acct_1`.
 */
export interface LocalService extends Client {
  readonly client: DynamoDBDocumentClient;
  /** The address of the database engine. */
  readonly database: string;
  readonly issuer: Issuer;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether each response is checked against docs/openapi.json. Default: in the project deep. */
  readonly checks: { documented: boolean };
  /** How its requests are sent, for a client with other accounts. */
  readonly deployment: Deployment;
  /** Handles a request as API Gateway and Lambda do. */
  readonly handle: Handle;
  stop(): Promise<void>;
}

process.env['POWERTOOLS_LOG_LEVEL'] ??= 'SILENT';
process.env['POWERTOOLS_METRICS_DISABLED'] ??= 'true';

/** A token stays valid when a test moves the clock. */
const EXPIRY = Date.parse('2100-01-01T00:00:00Z') / 1000;

type Variables = Readonly<Record<string, string>>;

interface Options {
  /** The client that sends messages; without a client, no message is sent. */
  readonly queues?: SQSClient;
  /** The knowledge of the functions about the accounts' limits. */
  readonly memory?: Memory;
  /** Signs the tokens. Default: an issuer whose keys are in `JWKS_URL`. */
  readonly issuer?: Issuer;
}

/**
 * The client of a function does what its role allows. In a run of npm run test:conditions, the client removes a clause
 * from the conditions of writes instead.
 */
export const clientOf: ClientOf = process.env['CLAUSE_RECORD']
  ? (await import('#test/condition-mutation/mutated-client.ts')).mutatedClient
  : grantedClient;

/** The response as a client receives it. */
const toResponse = ({ statusCode = 200, headers, body = '', isBase64Encoded }: GatewayResult): ReceivedResponse => {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body;
  return { status: statusCode, headers: Object.fromEntries(named), text };
};

/** Signs each token once. */
const tokensOf = (issuer: Issuer): TokenSource => {
  const tokens = new Map<string, Promise<string>>();
  return ({ account, seconds, claims, ...bearer }) => {
    const now = Math.floor(Date.now() / 1000);
    const exp = seconds === undefined ? EXPIRY : now + seconds;
    const all = { iss: ISSUER, aud: AUDIENCE, account_id: account, ...bearer, exp, ...claims };
    const key = JSON.stringify(all);
    const token = tokens.get(key) ?? issuer.sign({ iat: now, ...all });
    tokens.set(key, token);
    return token;
  };
};

/**
 * Without a limit for an account, whose counter would add calls at random; a test of limits sets RATE_LIMIT_PER_SECOND.
 * @param extra additional variables, or a function that returns them once the engine runs
 */
export const startService = async (
  extra: Variables | (() => Promise<Variables>) = {},
  { queues, memory = createMemory(PATIENCE_MS), issuer: given }: Options = {},
): Promise<LocalService> => {
  const [database, issuer] = await Promise.all([startTestDynamo(), given ?? createIssuer()]);
  await createTables(database.endpoint);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = database.endpoint;
  const client = makePatient(createDynamoClient());
  // The client reads its endpoint at its first call, which must come before another service sets the variable.
  await client.send(new ScanCommand({ TableName: 'idempotency', Limit: 1 }));
  const defaults = {
    ...tableVariables(),
    RATE_LIMIT_PER_SECOND: '0',
    ISSUER,
    AUDIENCE,
    JWKS_URL: issuer.keys,
    EXPORTS_BUCKET: 'exports',
  };
  const environment = { ...defaults, ...(typeof extra === 'function' ? await extra() : extra) };
  const app = openApp({ environment, clients: { dynamo: client, ...(queues && { sqs: queues }) }, memory, clientOf });
  const checks = { documented: isDeep };
  const deployment: Deployment = {
    transport: async (request, remaining = PATIENCE_MS) =>
      toResponse(await app.handle(receivedRequest(request), { remaining })),
    tokens: tokensOf(issuer),
    accountOf: (name = 'acct_1') => name,
    permissions: { role: 'admin' },
  };

  const stop = async () => {
    client.destroy();
    await database.stop();
  };
  const own = {
    client,
    database: database.endpoint,
    issuer,
    environment,
    checks,
    deployment,
    handle: app.handle,
    stop,
  };
  return { ...createClient(deployment, { checks }), ...own };
};
