import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import createPayment from '#functions/payments/create.ts';
import { type Act, permit } from '#shared/invoicing/policy.ts';
import { CATALOGUE } from '#shared/invoicing/problems/catalogue.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { stores } from '#shared/invoicing/stores.ts';
import { type Environment, settingsOf, tableNames } from '#shared/lambda/settings.ts';
import { backoff } from '#shared/platform/data/client.ts';
import { createCommit } from '#shared/platform/data/commit.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { RequestContext } from '#shared/platform/http/pipeline/context.ts';
import { execute } from '#shared/platform/http/pipeline/execute.ts';
import { type LambdaHandler, OPERATION_STEPS, pipeline } from '#shared/platform/http/pipeline/serve.ts';
import { createRecordLookup } from '#shared/platform/idempotency/record.ts';

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

/** Steps that Powertools' pipeline goes without. */
const LEFT_OUT = ['responseHeaders', 'requestLog', 'deprecation'];

/**
 * POST /payments with Powertools' idempotency in place of ours, and all else the same: our steps in front of it, our
 * handler and its one transaction inside, and for both our client.
 */
export const peer = (client: DynamoDBDocumentClient, environment: Environment): LambdaHandler => {
  const engine = { client, tableNames: tableNames(environment, unkeyed) };
  const { identity, policy, ...settings } = settingsOf(environment);
  const serving = {
    ...settings,
    endpoint: unkeyed,
    // Powertools throws on a key in use, which is a fault to the pipeline; the bench counts it by its answer.
    telemetry: { log: () => {}, warn: () => {}, fault: () => {}, count: () => {} },
    catalogue: CATALOGUE,
    verify: createVerifier(identity, ROLE_SCOPES),
    stores: (account: string) => stores(engine, account),
    commit: createCommit(engine),
    findRecord: createRecordLookup(engine),
    backoff,
    permit: (caller: Caller, act: Act, now: string) => permit(caller, act, { ...policy, now }),
  };
  const run = (event: RequestContext, context: Context) => execute.handle(event, serving, context);
  const guarded = makeIdempotent(run, idempotency(client, settings.idempotencyHours)) as typeof run;
  return pipeline(
    OPERATION_STEPS.filter(({ name }) => !LEFT_OUT.includes(name)),
    { handle: (event, _, context) => guarded(event, context) },
    serving,
  );
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
