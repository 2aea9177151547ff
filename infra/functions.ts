import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { tables } from '#shared/data/tables.ts';
import { type Endpoint, isPublic, type Operation } from '#shared/http/endpoint.ts';
import { LIMITS } from '#shared/http/limits.ts';
import { tablesOf } from '#shared/settings.ts';
import { bundleName } from './bundle.ts';
import { grantsOf } from './grants.ts';
import { createLogs, writing } from './logs.ts';
import type { Settings } from './stage.ts';
import type { Deployed } from './tables.ts';

/** What the functions are made of, beyond their endpoints. */
export interface Surroundings {
  readonly settings: Settings;
  readonly tables: Deployed;
  /** The directory that holds each endpoint's bundle in a directory of its name. */
  readonly bundles: string;
}

const identityVariables = ({ identity: { issuer, audience, jwksUrl, claims } }: Settings) => ({
  ISSUER: issuer,
  AUDIENCE: audience,
  JWKS_URL: jwksUrl,
  ACCOUNT_CLAIM: claims.account,
  SCOPE_CLAIM: claims.scope,
  ROLE_CLAIM: claims.role,
});

const policyVariables = ({ policy }: Settings) => ({
  CLERK_PAYMENT_LIMIT_CENTS: String(policy.clerkPaymentLimitCents),
  REFUND_WINDOW_DAYS: String(policy.refundWindowDays),
});

const dataVariables = (operation: Operation, { settings, tables: deployed }: Surroundings) => {
  const reached = tablesOf(operation);
  return {
    ...Object.fromEntries(reached.map((table) => [tables[table].variable, deployed[table].tableName])),
    ...(reached.includes('idempotency') && { IDEMPOTENCY_TTL_HOURS: String(settings.idempotencyHours) }),
    ...(operation.refuses?.includes('policy-denied') && policyVariables(settings)),
    // `sam local --env-vars` sets only what is declared; the SDK ignores an empty address.
    AWS_ENDPOINT_URL_DYNAMODB: '',
  };
};

/** Only what the endpoint reads: a public one knows neither tables nor issuer. */
const environmentOf = (endpoint: Endpoint, around: Surroundings): Record<string, string> => ({
  CORS_ORIGINS: around.settings.corsOrigins.join(','),
  ...(!isPublic(endpoint) && { ...identityVariables(around.settings), ...dataVariables(endpoint, around) }),
});

/** A role of the function's own: its log, and what its operation uses. No managed policy, which grants on everything. */
const createRole = (scope: Construct, id: string, statements: PolicyStatement[]): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { own: new PolicyDocument({ statements }) },
  });

/** Creates the Lambda of an endpoint, with a role and a log group of its own. */
export const createFunction = (scope: Construct, file: string, endpoint: Endpoint, around: Surroundings): Lambda => {
  const name = bundleName(file);
  const logGroup = createLogs(scope, `${name}-logs`, around.settings);
  const grants = isPublic(endpoint) ? [] : grantsOf(endpoint, around.tables);
  return new Lambda(scope, name, {
    description: endpoint.route,
    runtime: Runtime.NODEJS_24_X,
    architecture: around.settings.architecture,
    code: Code.fromAsset(join(around.bundles, name)),
    handler: 'index.handler',
    timeout: Duration.seconds(LIMITS.seconds),
    memorySize: LIMITS.memory_mb,
    role: createRole(scope, `${name}-role`, [writing(logGroup), ...grants]),
    logGroup,
    environment: environmentOf(endpoint, around),
  });
};
