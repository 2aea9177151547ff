import './json.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { backoff } from './data/backoff.ts';
import { dynamo } from './data/client.ts';
import { committer } from './data/commit.ts';
import { recaller } from './data/idempotency.ts';
import { Queue, sqs } from './data/queue.ts';
import { stores } from './data/stores.ts';
import type { Operation, PublicOperation, ReadFile } from './http/endpoint.ts';
import type { Reach } from './http/execute.ts';
import { type LambdaHandler, serve, servePublic } from './http/serve.ts';
import { verifier } from './http/verify.ts';
import { powertools } from './powertools.ts';
import { bucket, type Environment, publicSettingsOf, queueUrl, settingsOf, tableNames } from './settings.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** The keys that are known serve on while others cannot be had, so that nothing but this tells of it. */
const withoutKeys =
  (telemetry: Telemetry) =>
  (cause: Error): void => {
    telemetry.warn('the keys of the issuer could not be fetched', cause);
    telemetry.count('JwksFailures');
  };

/**
 * The Lambda handler of an operation, its clients made from the environment.
 * @throws Error naming the variable that is missing or malformed, and what was expected
 */
export const lambda = (
  operation: Operation,
  environment: Environment = process.env,
  client: DynamoDBDocumentClient = dynamo(),
  send?: Reach['send'],
): LambdaHandler => {
  const engine = { client, names: tableNames(environment, operation), ...bucket(environment, operation) };
  const telemetry = powertools();
  const { identity, ...settings } = settingsOf(environment);
  return serve(operation, {
    ...settings,
    telemetry,
    verify: verifier(identity, withoutKeys(telemetry)),
    stores: (account) => stores(engine, account),
    commit: committer(engine),
    recall: recaller(engine),
    backoff,
    ...(send && { send }),
  });
};

/** A message that cannot be sent is no fault of the request, which is committed: the reconciler sends another one. */
const sender = (queue: Queue): NonNullable<Reach['send']> => {
  const telemetry = powertools();
  return (message, deadline) =>
    queue.send(message, deadline).catch((error) => telemetry.fault('message not sent', error, { ...message.body }));
};

/** The Lambda handler of an operation that tells a worker what to do. */
export const sendingLambda = (
  operation: Operation,
  environment: Environment = process.env,
  client: DynamoDBDocumentClient = dynamo(),
  queues = sqs(),
): LambdaHandler => {
  const queue = new Queue(queues, queueUrl(environment, operation.sends ?? 'exports'));
  return lambda(operation, environment, client, sender(queue));
};

/** Reads what lies beside the bundle that this module has become a part of. */
const beside: ReadFile = (name) => readFile(join(import.meta.dirname, name));

/** The Lambda handler of a public endpoint, which reaches nothing but its own files. */
export const publicLambda = (
  operation: PublicOperation,
  environment: Environment = process.env,
  read: ReadFile = beside,
): LambdaHandler => servePublic(operation, { ...publicSettingsOf(environment), telemetry: powertools(), read });
