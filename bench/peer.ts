import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import createPayment from '#functions/payments/create.ts';
import { permit } from '#shared/invoicing/policy.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { stores } from '#shared/invoicing/stores.ts';
import { type Environment, settingsOf, tableNames } from '#shared/lambda/settings.ts';
import { backoff } from '#shared/platform/data/client.ts';
import { committer } from '#shared/platform/data/commit.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { verifier } from '#shared/platform/http/auth/access-token.ts';
import { authenticate, authorize } from '#shared/platform/http/pipeline/authenticate.ts';
import type { Exchange } from '#shared/platform/http/pipeline/context.ts';
import { cors } from '#shared/platform/http/pipeline/cors.ts';
import { execute } from '#shared/platform/http/pipeline/execute.ts';
import { head } from '#shared/platform/http/pipeline/head.ts';
import { receive } from '#shared/platform/http/pipeline/normalize-event.ts';
import { content } from '#shared/platform/http/pipeline/parse-body.ts';
import { problems } from '#shared/platform/http/pipeline/problem.ts';
import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { parse } from '#shared/platform/http/pipeline/validate.ts';
import { recaller } from '#shared/platform/idempotency/record.ts';

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

const { idempotency: _, ...withoutKey } = createPayment;
/** Our POST /payments, for which our pipeline reads no key and commits no record. */
const unkeyed: Operation = withoutKey;

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
    permit: (caller, act, now) => permit(caller, act, { ...policy, now }),
  });
  const handler = middy<Exchange, GatewayResult>({ timeoutEarlyInMillis: 300 })
    .use([
      receive(),
      head(),
      cors(corsOrigins),
      // Powertools throws on a key in use, which is a fault to the pipeline; the bench counts it by its answer.
      problems({ fault: () => {} }, CATALOGUE),
      authenticate(verifier(identity, ROLE_SCOPES)),
      authorize(unkeyed.scope),
      ...content(unkeyed),
      parse(unkeyed),
    ])
    .handler(makeIdempotent(run, idempotency(client, idempotencyHours)) as typeof run);
  // Middy's type has Node's old callback, too.
  return handler as unknown as LambdaHandler;
};

/** The key is the header alone, without the account, which is the least that Powertools can have to do. */
const idempotency = (client: DynamoDBDocumentClient, hours: number) => ({
  // A document client sends plain commands as they are, so that both halves share their settings and connections.
  persistenceStore: new DynamoDBPersistenceLayer({
    tableName: TABLE,
    awsSdkV3Client: client as DynamoDBClient,
  }),
  config: new IdempotencyConfig({
    eventKeyJmesPath: 'headers."idempotency-key"',
    payloadValidationJmesPath: 'body',
    throwOnNoIdempotencyKey: true,
    expiresAfterSeconds: hours * 3600,
    useLocalCache: true,
  }),
});
