import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { backoff } from './data/backoff.ts';
import { dynamo } from './data/client.ts';
import { committer } from './data/commit.ts';
import { recaller } from './data/idempotency.ts';
import { stores } from './data/stores.ts';
import type { Operation, PublicOperation } from './http/endpoint.ts';
import { type LambdaHandler, type Open, serve, servePublic } from './http/serve.ts';
import { verifier } from './http/verify.ts';
import { powertools } from './powertools.ts';
import { corsOrigins, type Environment, ends, idempotencyHours, identity, policy, tableNames } from './settings.ts';

const open = (environment: Environment): Open => ({
  telemetry: powertools(),
  corsOrigins: corsOrigins(environment),
  ends: ends(environment),
});

/**
 * The Lambda handler of an operation, its clients made from the environment.
 * @throws Error naming the variable that is missing or malformed, and what was expected
 */
export const lambda = (
  operation: Operation,
  environment: Environment = process.env,
  client: DynamoDBDocumentClient = dynamo(),
): LambdaHandler => {
  const engine = { client, names: tableNames(environment, operation) };
  const opened = open(environment);
  const noKeys = (cause: Error) => {
    opened.telemetry.warn('the keys of the issuer could not be fetched', cause);
    opened.telemetry.count('JwksFailures');
  };
  return serve(operation, {
    ...opened,
    verify: verifier(identity(environment), noKeys),
    stores: (account) => stores(engine, account),
    commit: committer(engine),
    recall: recaller(engine),
    backoff,
    idempotencyHours: idempotencyHours(environment),
    policy: policy(environment),
  });
};

/** The Lambda handler of a public endpoint, which reaches nothing. */
export const publicLambda = (operation: PublicOperation, environment: Environment = process.env): LambdaHandler =>
  servePublic(operation, open(environment));
