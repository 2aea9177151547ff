import type { Settings } from '#infra/settings/settings.ts';
import { BUCKET_VARIABLE, type QueueName, queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { reachesBucket, tablesOf } from '#shared/lambda/settings.ts';
import { type Endpoint, isPublic, type Operation } from '#shared/platform/endpoint.ts';
import { isConsumer, type Worker } from '#shared/platform/worker.ts';
import type { Reachable } from './grants.ts';

type Variables = Record<string, string>;

const identityVariables = ({ identity: { issuer, audience, jwksUrl, claims } }: Settings): Variables => ({
  ISSUER: issuer,
  AUDIENCE: audience,
  JWKS_URL: jwksUrl,
  ACCOUNT_CLAIM: claims.account,
  SCOPE_CLAIM: claims.scope,
  ROLE_CLAIM: claims.role,
});

const policyVariables = ({ policy }: Settings): Variables => ({
  CLERK_PAYMENT_LIMIT_CENTS: String(policy.clerkPaymentLimitCents),
  REFUND_WINDOW_DAYS: String(policy.refundWindowDays),
});

// `sam local --env-vars` sets only what is declared, hence the empty addresses; the SDK ignores them.

const tableVariables = (declared: Operation | Worker, { tables: deployed }: Reachable): Variables => ({
  ...Object.fromEntries(tablesOf(declared).map((table) => [tables[table].variable, deployed[table].tableName])),
  AWS_ENDPOINT_URL_DYNAMODB: '',
});

const queueVariables = (names: readonly (QueueName | undefined)[], { queues: deployed }: Reachable): Variables =>
  Object.assign(
    {},
    ...names.map(
      (name) => name && { [queues[name].variable]: deployed[name].queue.queueUrl, AWS_ENDPOINT_URL_SQS: '' },
    ),
  );

const bucketVariables = (declared: Operation | Worker, { bucket }: Reachable): Variables =>
  reachesBucket(declared) ? { [BUCKET_VARIABLE]: bucket.bucketName, AWS_ENDPOINT_URL_S3: '' } : {};

const dateOf = (date: Date): string => date.toISOString().replace('.000', '');

/** Announced ends, of the versions that have one. */
const endVariables = ({ deprecations }: Settings): Variables =>
  Object.fromEntries(
    Object.entries(deprecations).flatMap(([version, { deprecated, sunset }]) => [
      ...(deprecated ? [[`${version.toUpperCase()}_DEPRECATION`, dateOf(deprecated)]] : []),
      ...(sunset ? [[`${version.toUpperCase()}_SUNSET`, dateOf(sunset)]] : []),
    ]),
  );

/** Only what the endpoint reads: a public one knows neither tables nor issuer. */
export const endpointVariables = (endpoint: Endpoint, settings: Settings, reachable: Reachable): Variables => {
  const open = { CORS_ORIGINS: settings.corsOrigins.join(','), ...endVariables(settings) };
  if (isPublic(endpoint)) return open;
  return {
    ...open,
    ...identityVariables(settings),
    ...tableVariables(endpoint, reachable),
    ...(tablesOf(endpoint).includes('idempotency') && { IDEMPOTENCY_TTL_HOURS: String(settings.idempotencyHours) }),
    ...(endpoint.permits && policyVariables(settings)),
    ...queueVariables([endpoint.sendsTo], reachable),
    ...bucketVariables(endpoint, reachable),
  };
};

/** Only what the worker reads, or Node for it: it knows no caller. */
export const workerVariables = (worker: Worker, reachable: Reachable): Variables => ({
  ...tableVariables(worker, reachable),
  ...queueVariables([worker.sendsTo, isConsumer(worker) ? worker.trigger.queue : undefined], reachable),
  ...bucketVariables(worker, reachable),
  ...(worker.node_options && { NODE_OPTIONS: worker.node_options }),
});
