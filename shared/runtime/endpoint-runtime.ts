import { SERVICE } from '#shared/invoicing/metrics.ts';
import '#shared/platform/workarounds/v8-json-parse-63785.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { permit } from '#shared/invoicing/policy.ts';
import { CATALOGUE } from '#shared/invoicing/problems.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { stores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { backoff, createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import type { Operation, PublicOperation, ReadFile } from '#shared/platform/endpoint.ts';
import { bucketUrl } from '#shared/platform/files/bucket-url.ts';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import type { Dependencies } from '#shared/platform/http/pipeline/execute.ts';
import { type LambdaHandler, serve, servePublic } from '#shared/platform/http/pipeline/serve.ts';
import { createRecordLookup } from '#shared/platform/idempotency/record.ts';
import { createSqsClient, Queue } from '#shared/platform/queues/queue.ts';
import { powertools } from '#shared/platform/telemetry/powertools.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import {
  bucket,
  bucketName,
  type Environment,
  publicSettingsOf,
  queueUrl,
  settingsOf,
  tableNames,
} from './settings.ts';

interface Options extends Pick<DynamoContext, 'checks'> {
  readonly environment?: Environment;
  readonly client?: DynamoDBDocumentClient;
}

/** @throws Error that names the missing or malformed variable and the expected value */
export const lambda = (
  operation: Operation,
  {
    environment = process.env,
    client = createDynamoClient(),
    send,
    ...access
  }: Options & Pick<Dependencies, 'send'> = {},
): LambdaHandler => {
  const tables = tableNames(environment, operation);
  const context = { client, tableNames: tables, ...access, ...bucket(environment, operation) };
  const telemetry = powertools(SERVICE);
  const { identity, policy, product, ...settings } = settingsOf(environment);
  return serve(operation, {
    ...settings,
    settings: product,
    telemetry,
    catalogue: CATALOGUE,
    realm: SERVICE,
    verify: createVerifier(identity, ROLE_SCOPES, reportJwksFailure(telemetry)),
    permit: (caller, act, now) => permit(caller, act, { ...policy, now }),
    stores: (account) => stores(context, account),
    commit: createCommit(context),
    findRecord: createRecordLookup(context),
    backoff,
    ...(send && { send }),
  });
};

/** For an operation that sends messages to a worker. */
export const sendingLambda = (
  operation: Operation,
  { queues = createSqsClient(), ...options }: Options & { readonly queues?: SQSClient } = {},
): LambdaHandler => {
  const { sendsTo, route } = operation;
  if (!sendsTo) throw new Error(`${route} sends messages but does not declare \`sendsTo\`.`);
  const queue = new Queue(queues, queueUrl(options.environment ?? process.env, sendsTo));
  return lambda(operation, { ...options, send: createSender(queue) });
};

export const publicLambda = (
  operation: PublicOperation,
  environment: Environment = process.env,
  read: ReadFile = readFrom('.'),
): LambdaHandler =>
  servePublic(operation, {
    ...publicSettingsOf(environment),
    telemetry: powertools(SERVICE),
    catalogue: CATALOGUE,
    read,
    downloadOrigin: () => new URL(bucketUrl(bucketName(environment))).origin,
  });

/** The service continues with the keys it has, so only this warning and metric show that the issuer is unreachable. */
const reportJwksFailure =
  (telemetry: Telemetry) =>
  (cause: Error): void => {
    telemetry.warn('the keys of the issuer could not be fetched', cause);
    telemetry.count('JwksFailures');
  };

/** Runs after the commit. A failure is only logged, because the reconciler sends the message again. */
const createSender = (queue: Queue): NonNullable<Dependencies['send']> => {
  const telemetry = powertools(SERVICE);
  return (message, deadline) =>
    queue.send(message, deadline).catch((error) => telemetry.fault('message not sent', error, { ...message.body }));
};

/** @param directory the folder of the bundle. Only the bundle's entry knows it: local bundles have this code in a chunk. */
export const readFrom =
  (directory: string): ReadFile =>
  (name) =>
    readFile(join(directory, name));
