import { gunzipSync } from 'node:zlib';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { JWTPayload } from 'jose';
import { openApp } from '#local/app.ts';
import { limitClient } from '#local/engines/limits/limit-client.ts';
import type { Limiter } from '#local/engines/limits/limiter.ts';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { createMemory, type Memory } from '#shared/platform/limits/memory.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { isDeep } from '#test/support/extent/extent.ts';
import { receivedRequest, type Sent } from './event.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from './issuer.ts';
import { type Answer, compareWithDocument, type ReceivedResponse, toAnswer } from './transport.ts';

export type { Answer };

export type Claims = JWTPayload & { account_id?: unknown; scope?: unknown; role?: unknown };

/** The Lambda handlers of all endpoints behind a router, with a real database engine and a real token issuer. */
export interface Service {
  readonly client: DynamoDBDocumentClient;
  /** The address of the database engine. */
  readonly database: string;
  readonly issuer: Issuer;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether each response is checked against docs/openapi.json. Default: in npm run test:deep. */
  readonly checks: { documented: boolean };
  /** Sends a request like API Gateway, with a token for an admin of `acct_1` unless headers or claims differ. */
  send(target: string, sent?: Sent & { claims?: Claims; remaining?: number }): Promise<Answer>;
  token(claims?: Claims): Promise<string>;
  /** Handles a request as API Gateway and Lambda do. */
  readonly handle: Handle;
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
  /** The limits within which the database engine answers this client; without it there are none. */
  readonly limiter?: Limiter | undefined;
  /** What the functions know of the accounts' limits. */
  readonly memory?: Memory;
}

/** The client of an operation. In a run of npm run test:conditions, it removes a clause from the conditions of writes. */
const clientOf: (operation: Operation, client: DynamoDBDocumentClient) => DynamoDBDocumentClient = process.env[
  'CLAUSE_RECORD'
]
  ? (await import('#test/condition-mutation/mutated-client.ts')).mutatedClient
  : (_, client) => client;

/** The response as a client receives it. */
export const toResponse = ({
  statusCode = 200,
  headers,
  body = '',
  isBase64Encoded,
}: GatewayResult): ReceivedResponse => {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body;
  return { status: statusCode, headers: Object.fromEntries(named), text };
};

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
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = database.endpoint;
  const client = createDynamoClient();
  if (limiter) limitClient(client, limiter);
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
  const app = openApp({ environment, clients: { dynamo: client, ...(queues && { sqs: queues }) }, memory, clientOf });
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

  const send: Service['send'] = async (target, { claims, remaining, ...sent } = {}) => {
    const headers = { authorization: `Bearer ${await token(claims)}`, ...sent.headers };
    const request = receivedRequest(target, { ...sent, headers });
    const response = toResponse(await app.handle(request, remaining === undefined ? {} : { remaining }));
    if (checks.documented) await compareWithDocument(request, response);
    return toAnswer(response);
  };

  const stop = async () => {
    client.destroy();
    await Promise.all([database.stop(), issuer.close()]);
  };
  return { client, database: database.endpoint, issuer, environment, checks, send, token, handle: app.handle, stop };
};
