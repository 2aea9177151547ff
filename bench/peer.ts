import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import createPayment from '#functions/payments/create.ts';
import { backoff } from '#shared/data/backoff.ts';
import { committer } from '#shared/data/commit.ts';
import { recaller } from '#shared/data/idempotency.ts';
import { stores } from '#shared/data/stores.ts';
import { authenticate, authorize } from '#shared/http/authenticate.ts';
import { content } from '#shared/http/content.ts';
import { cors } from '#shared/http/cors.ts';
import type { Operation } from '#shared/http/endpoint.ts';
import type { Exchange, GatewayResult } from '#shared/http/exchange.ts';
import { execute } from '#shared/http/execute.ts';
import { head } from '#shared/http/head.ts';
import { parse } from '#shared/http/parse.ts';
import { problems } from '#shared/http/problem.ts';
import { receive } from '#shared/http/receive.ts';
import type { LambdaHandler } from '#shared/http/serve.ts';
import { verifier } from '#shared/http/verify.ts';
import { type Environment, settingsOf, tableNames } from '#shared/settings.ts';

const TABLE = 'powertools_idempotency';

/** The table of Powertools' records, by its documentation. */
export const createPeerTable = async (client: DynamoDBDocumentClient): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    }),
  );
  const TimeToLiveSpecification = { AttributeName: 'expiration', Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: TABLE, TimeToLiveSpecification }));
};

/** Our POST /payments, but as a PUT: for that our pipeline reads no key and commits no record. */
const unkeyed: Operation = { ...createPayment, route: 'PUT /payments' };

/**
 * POST /payments with Powertools' idempotency in place of ours, and all else the same: our middlewares in front of it,
 * our handler and its one transaction inside, and for both our client.
 */
export const peer = (client: DynamoDBDocumentClient, environment: Environment): LambdaHandler => {
  const engine = { client, names: tableNames(environment, unkeyed) };
  const { corsOrigins, identity, idempotencyHours, policy } = settingsOf(environment);
  const run = execute(unkeyed, {
    stores: (account) => stores(engine, account),
    commit: committer(engine),
    recall: recaller(engine),
    backoff,
    idempotencyHours,
    policy,
  });
  return middy<Exchange, GatewayResult>({ timeoutEarlyInMillis: 300 })
    .use([
      receive(),
      head(),
      cors(corsOrigins),
      // Powertools throws on a key in use, which is a fault to the pipeline; the bench counts it by its answer.
      problems({ fault: () => {} }),
      authenticate(verifier(identity)),
      authorize(unkeyed.scope),
      ...content(unkeyed),
      parse(unkeyed),
    ])
    .handler(makeIdempotent(run, idempotency(client, idempotencyHours)) as typeof run) as unknown as LambdaHandler;
};

/** The key is the header alone, without the account, which is the least that Powertools can have to do. */
const idempotency = (client: DynamoDBDocumentClient, hours: number) => ({
  // A document client sends plain commands as they are, so that both halves share their settings and connections.
  persistenceStore: new DynamoDBPersistenceLayer({
    tableName: TABLE,
    awsSdkV3Client: client as unknown as DynamoDBClient,
  }),
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'headers."idempotency-key"',
    payloadValidationJmesPath: 'body',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: hours * 3600,
    useLocalCache: true,
  }),
});
