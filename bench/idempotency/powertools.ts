import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { CreateTableCommand, type DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import createPayment from '#functions/payments/create.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { execute } from '#shared/platform/http/pipeline/execute.ts';
import { type LambdaHandler, operationSteps, pipeline } from '#shared/platform/http/pipeline/serve.ts';
import { dependenciesOf } from '#shared/runtime/endpoint-runtime.ts';
import type { Environment } from '#shared/runtime/settings.ts';

const TABLE = 'powertools_idempotency';

/** Creates the table of Powertools' records as its documentation describes. */
export const createPowertoolsTable = async (client: DynamoDBDocumentClient): Promise<void> => {
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
/** POST /payments for which the service's pipeline reads no key and commits no record. */
const withoutIdempotency: Operation = withoutKey;

/**
 * POST /payments with Powertools' idempotency instead of the service's. The rest is the service's: the steps before it,
 * the handler and its transaction inside it.
 */
export const powertools = (client: DynamoDBDocumentClient, environment: Environment): LambdaHandler => {
  const endpoint = withoutIdempotency;
  // Powertools throws for a key in use, which the pipeline logs as a fault; the bench counts its response.
  const telemetry = { log: () => {}, warn: () => {}, fault: () => {}, count: () => {} };
  const dependencies = { ...dependenciesOf(endpoint, { environment, client, checks }), endpoint, telemetry };
  const run = (request: Parameters<typeof execute.handle>[0], context: Context) =>
    execute.handle(request, dependencies, context);
  const idempotentRun = makeIdempotent(run, idempotency(client, dependencies.idempotencyHours)) as typeof run;
  return pipeline(operationSteps(), { handle: (request, _, context) => idempotentRun(request, context) }, dependencies);
};

/** The key is only the header, without the account: the least work for Powertools. */
const idempotency = (client: DynamoDBDocumentClient, hours: number) => ({
  // A document client also sends plain commands, so that Powertools and the handler share settings and connections.
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
