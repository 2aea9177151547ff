import { join } from 'node:path';
import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleName } from '#infra/build/bundle.ts';
import { namespaceOf } from '#infra/monitoring/metrics.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type Endpoint, isPublic } from '#shared/platform/endpoint.ts';
import { LAMBDA_DEFAULTS, type LambdaLimits } from '#shared/platform/lambda/defaults.ts';
import { acknowledgeFiles } from './bucket.ts';
import { endpointVariables } from './environment.ts';
import { grantsOf, type Reachable } from './grants.ts';
import { createLogs, writing } from './logs.ts';
import { trace, tracing } from './tracing.ts';

/** What the functions are made of, beyond their declarations. */
export interface FunctionDependencies extends Reachable {
  readonly settings: Settings;
  /** The directory that holds each function's bundle in a directory of its name. */
  readonly bundles: string;
}

/** A role of the function's own: its log, its traces, and what it uses. No managed policy, which grants on everything. */
const createRole = (scope: Construct, id: string, statements: PolicyStatement[]): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { own: new PolicyDocument({ statements }) },
  });

/** What one function has of its own. */
interface FunctionOptions {
  readonly description: string;
  readonly limits: LambdaLimits;
  readonly grants: readonly PolicyStatement[];
  readonly environment: Record<string, string>;
  /** How many instances at once are kept for it, and are the most it gets. */
  readonly reserved?: number | undefined;
  /** What becomes of a call that fails, so that the function needs no dead-letter queue of its own. */
  readonly failing: string;
}

/** Creates a Lambda with a role and a log group of its own. */
export const createLambda = (
  scope: Construct,
  name: string,
  own: FunctionOptions,
  around: FunctionDependencies,
): Lambda => {
  const { description, limits, grants, environment, reserved, failing } = own;
  const logGroup = createLogs(scope, `${name}-logs`, around.settings);
  const role = createRole(scope, `${name}-role`, [writing(logGroup), tracing(), ...grants]);
  acknowledgeFiles(role, grants, around.bucket);
  const lambda = new Lambda(scope, name, {
    description,
    runtime: Runtime.NODEJS_24_X,
    architecture: around.settings.architecture,
    code: Code.fromAsset(join(around.bundles, name)),
    handler: 'index.handler',
    timeout: Duration.seconds(limits.seconds),
    memorySize: limits.memory_mb,
    role,
    logGroup,
    environment: { POWERTOOLS_METRICS_NAMESPACE: namespaceOf(around.settings), ...environment },
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
  });
  trace(lambda, role);
  Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaDLQ', reason: failing });
  return lambda;
};

const SYNCHRONOUS = 'Only the gateway calls it, and waits: a failure is answered to the client, who holds the request.';

/** Creates the Lambda of an endpoint. */
export const createFunction = (
  scope: Construct,
  file: string,
  endpoint: Endpoint,
  around: FunctionDependencies,
): Lambda => {
  const own = {
    description: endpoint.route,
    limits: LAMBDA_DEFAULTS,
    grants: isPublic(endpoint) ? [] : grantsOf(endpoint, around),
    environment: endpointVariables(endpoint, around.settings, around),
    reserved: around.settings.reservedConcurrency[file],
    failing: SYNCHRONOUS,
  };
  return createLambda(scope, bundleName(file), own, around);
};
