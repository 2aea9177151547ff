import type { Settings } from '#infra/settings/settings.ts';
import { BUCKET_VARIABLE, queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { isConsumer, type Worker } from '#shared/platform/declarations/worker.ts';
import { type Endpoint, isPublic, type Operation } from '#shared/platform/http/endpoint.ts';
import { reachesBucket, tablesOf } from '#shared/runtime/settings.ts';
import type { QueueName } from '#shared/vocabulary.ts';
import type { DeployedResources } from './grants.ts';

type Variables = Record<string, string>;

const identityVariables = ({ identity: { issuer, audience, jwksUrl, claims, scopePrefix } }: Settings): Variables => ({
  ISSUER: issuer,
  AUDIENCE: audience,
  JWKS_URL: jwksUrl,
  ACCOUNT_CLAIM: claims.account,
  AUDIENCE_CLAIM: claims.audience,
  SCOPE_CLAIM: claims.scope.join(','),
  SCOPE_PREFIX: scopePrefix,
  ROLE_CLAIM: claims.role,
});

const policyVariables = ({ policy }: Settings): Variables => ({
  CLERK_PAYMENT_LIMIT_CENTS: String(policy.clerkPaymentLimitCents),
  REFUND_WINDOW_DAYS: String(policy.refundWindowDays),
  VOID_WINDOW_HOURS: String(policy.voidWindowHours),
});

// `sam local --env-vars` sets only declared variables, so the endpoints are declared as empty; the SDK ignores empty
// endpoints.

const tableVariables = (declared: Operation | Worker, { tables: deployed }: DeployedResources): Variables => ({
  ...Object.fromEntries(tablesOf(declared).map((table) => [tables[table].variable, deployed[table].tableName])),
  AWS_ENDPOINT_URL_DYNAMODB: '',
});

const queueVariables = (names: readonly QueueName[], { queues: deployed }: DeployedResources): Variables =>
  Object.assign(
    {},
    ...names.map((name) => ({ [queues[name].variable]: deployed[name].queue.queueUrl, AWS_ENDPOINT_URL_SQS: '' })),
  );

const bucketVariables = ({ bucket }: DeployedResources): Variables => ({
  [BUCKET_VARIABLE]: bucket.bucketName,
  AWS_ENDPOINT_URL_S3: '',
});

const dateOf = (date: Date): string => date.toISOString().replace('.000', '');

const deprecationVariables = ({ deprecations }: Settings): Variables =>
  Object.fromEntries(
    Object.entries(deprecations).flatMap(([version, { deprecated, sunset }]) => [
      ...(deprecated ? [[`${version.toUpperCase()}_DEPRECATION`, dateOf(deprecated)]] : []),
      ...(sunset ? [[`${version.toUpperCase()}_SUNSET`, dateOf(sunset)]] : []),
    ]),
  );

/** The variables that the endpoint reads. A public endpoint gets neither tables nor issuer. */
export const endpointVariables = (endpoint: Endpoint, settings: Settings, reachable: DeployedResources): Variables => {
  const common = { CORS_ORIGINS: settings.corsOrigins.patterns.join(','), ...deprecationVariables(settings) };
  if (isPublic(endpoint))
    return {
      ...common,
      ...(endpoint.downloads && bucketVariables(reachable)),
      ...(endpoint.namesIssuer && { ISSUER: settings.identity.issuer }),
    };
  return {
    ...common,
    ...identityVariables(settings),
    ...tableVariables(endpoint, reachable),
    RATE_LIMIT_PER_SECOND: String(settings.rateLimitPerSecond),
    ...(tablesOf(endpoint).includes('idempotency') && { IDEMPOTENCY_TTL_HOURS: String(settings.idempotencyHours) }),
    ...(endpoint.permits && policyVariables(settings)),
    ...queueVariables(endpoint.sendsTo ? [endpoint.sendsTo] : [], reachable),
    ...(reachesBucket(endpoint) && bucketVariables(reachable)),
  };
};

export const workerVariables = (worker: Worker, reachable: DeployedResources): Variables => ({
  ...tableVariables(worker, reachable),
  ...queueVariables([...(worker.sendsTo ?? []), ...(isConsumer(worker) ? [worker.trigger.queue] : [])], reachable),
  ...(reachesBucket(worker) && bucketVariables(reachable)),
  ...(worker.node_options && { NODE_OPTIONS: worker.node_options }),
});
