import { SERVICE } from '#shared/vocabulary.ts';
import '#shared/platform/workarounds/v8-json-parse-63785.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createPermitFor } from '#shared/invoicing/policy.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { pauseForTurn } from '#shared/platform/backoff.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { createRecordLookup } from '#shared/platform/commit/idempotency.ts';
import { createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { findChanged } from '#shared/platform/events/changed-since.ts';
import { bucketUrl } from '#shared/platform/files/bucket-url.ts';
import { createVerifier } from '#shared/platform/http/auth/access-token.ts';
import { CHANGES, type Operation, type PublicOperation, type ReadFile } from '#shared/platform/http/endpoint.ts';
import type { ExecuteDependencies } from '#shared/platform/http/pipeline/execute.ts';
import {
  type LambdaHandler,
  type PipelineDependencies,
  serve,
  servePublic,
} from '#shared/platform/http/pipeline/serve.ts';
import { createMemory, Limiter, type Memory } from '#shared/platform/limits/limiter.ts';
import { createCounter } from '#shared/platform/limits/table-counter.ts';
import { createSqsClient, Queue } from '#shared/platform/queues/queue.ts';
import { jsonLines, type Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import {
  bucket,
  bucketName,
  type Environment,
  issuerOf,
  publicSettingsOf,
  queueUrl,
  settingsOf,
  tableNames,
} from './settings.ts';
import { startTelemetry } from './start-telemetry.ts';

interface LambdaOptions extends Pick<DynamoContext, 'checks'> {
  /** By default the environment of the process. */
  readonly memory?: Memory;
  readonly environment?: Environment;
  readonly client?: DynamoDBDocumentClient;
}

const MEMORY = createMemory();

/** @throws Error that names the missing or malformed variable and the expected value */
export const lambda = (
  operation: Operation,
  options?: LambdaOptions & Pick<ExecuteDependencies, 'send'>,
): LambdaHandler => serve(operation, dependenciesOf(operation, options));

export const dependenciesOf = (
  operation: Operation,
  {
    environment = process.env,
    client = createDynamoClient(),
    send,
    memory = MEMORY,
    ...access
  }: LambdaOptions & Pick<ExecuteDependencies, 'send'> = {},
): PipelineDependencies => {
  const tables = tableNames(environment, operation);
  const context = { client, tableNames: tables, ...access, ...bucket(environment, operation) };
  const telemetry = startTelemetry(environment);
  const onUncounted = ({ name, message }: Error) => {
    // No warning: the first call of a process may take too long, and the request continues.
    telemetry.log('a request could not be counted', { reason: `${name}: ${message}` });
    telemetry.count('LimitsUnreachable');
  };
  const { identity, policy, product, rateLimitPerSecond: rate, ...settings } = settingsOf(environment);
  return {
    ...settings,
    settings: product,
    telemetry,
    verify: createVerifier(identity, ROLE_SCOPES, reportJwksFailure(telemetry)),
    permitFor: createPermitFor(policy),
    stores: createStores(context, operation.stores),
    commit: createCommit(context),
    findChanged: (account, resource, member) => findChanged(createStores(context, CHANGES)(account), resource, member),
    findRecord: createRecordLookup(context),
    limiter: rate > 0 ? new Limiter({ rate, counter: createCounter(context), memory, onUncounted }) : undefined,
    backoff: (run, turnMs) => sleep(pauseForTurn(run, turnMs)),
    ...(send && { send }),
  };
};

/** For an operation that sends messages to a worker. */
export const sendingLambda = (
  operation: Operation,
  { queues = createSqsClient(), ...options }: LambdaOptions & { readonly queues?: SQSClient } = {},
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
    telemetry: startTelemetry(environment),
    read,
    downloadOrigin: () => new URL(bucketUrl(bucketName(environment))).origin,
    issuer: () => issuerOf(environment),
  });

/** The service continues with the keys it has, so only this warning and metric show that the issuer is unreachable. */
const reportJwksFailure =
  (telemetry: Telemetry) =>
  (cause: Error): void => {
    telemetry.warn('the keys of the issuer could not be fetched', cause);
    telemetry.count('JwksFailures');
  };

/** The response waits at most this long for SQS. */
const HINT_MS = 1000;

/** Runs after the commit. The message is a hint: a failure is only logged, because the reconciler sends it again. */
const createSender = (queue: Queue): NonNullable<ExecuteDependencies['send']> => {
  const telemetry = jsonLines(SERVICE);
  return (message, deadline) =>
    queue
      .send(message, Math.min(deadline, Date.now() + HINT_MS))
      .catch((error) => telemetry.fault('message not sent', error, { ...message.body }));
};

/** @param directory the folder of the bundle, which the bundle's entry knows */
export const readFrom =
  (directory: string): ReadFile =>
  (name) =>
    readFile(join(directory, name));
