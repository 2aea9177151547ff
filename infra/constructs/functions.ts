import { join } from 'node:path';
import { Duration, FileSystem, Validations } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as Lambda, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { bundleName } from '#infra/build/bundle.ts';
import { CODE_CACHE, codeCacheVersion } from '#infra/build/code-cache/code-caches.ts';
import { namespaceOf } from '#infra/monitoring/metrics.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import { LAMBDA_DEFAULTS, type LambdaLimits } from '#shared/runtime/defaults.ts';
import { acknowledgeFiles } from './bucket.ts';
import { endpointVariables } from './environment.ts';
import { type DeployedResources, grantsOf } from './grants.ts';
import { logStatement } from './logs.ts';
import { enableTracing, traceStatement } from './tracing.ts';

export interface FunctionDependencies extends DeployedResources {
  readonly settings: Settings;
  readonly bundles: string;
  /** The log of all functions (docs/decisions/0052). */
  readonly logs: LogGroup;
}

/** A role of the function's own. It has no managed policy, because AWS's managed policies grant on all resources. */
const createRole = (scope: Construct, id: string, statements: PolicyStatement[]): Role =>
  new Role(scope, id, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { own: new PolicyDocument({ statements }) },
  });

interface FunctionOptions {
  readonly description: string;
  readonly limits: LambdaLimits;
  readonly grants: readonly PolicyStatement[];
  readonly environment: Record<string, string>;
  /** The reserved concurrency of the function, which is also its limit. */
  readonly reserved?: number | undefined;
  /** Whether the function sends messages to its own queue: Lambda would drop the 17th of a chain as a loop. */
  readonly sendsToItself?: boolean;
  /** The reason why the function needs no dead-letter queue of its own. */
  readonly failureHandling: string;
}

export const createLambda = (
  scope: Construct,
  name: string,
  options: FunctionOptions,
  dependencies: FunctionDependencies,
): Lambda => {
  const { description, limits, grants, environment, reserved, sendsToItself, failureHandling } = options;
  const role = createRole(scope, `${name}-role`, [logStatement(dependencies.logs), traceStatement(), ...grants]);
  acknowledgeFiles(role, grants, dependencies.bucket);
  const folder = join(dependencies.bundles, name);
  const lambda = new Lambda(scope, name, {
    description,
    runtime: Runtime.NODEJS_24_X,
    architecture: dependencies.settings.architecture,
    code: Code.fromAsset(folder, { assetHash: fingerprintOf(folder) }),
    handler: 'index.handler',
    timeout: Duration.seconds(limits.seconds),
    memorySize: limits.memory_mb,
    role,
    logGroup: dependencies.logs,
    environment: { POWERTOOLS_METRICS_NAMESPACE: namespaceOf(dependencies.settings), ...environment },
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    ...(sendsToItself && { recursiveLoop: RecursiveLoop.ALLOW }),
  });
  enableTracing(lambda, role);
  Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaDLQ', reason: failureHandling });
  return lambda;
};

/** V8 writes a cache of the same code with other bytes each time, so a cache counts only by its version of Node. */
export const fingerprintOf = (folder: string): string =>
  FileSystem.fingerprint(folder, { exclude: [CODE_CACHE], extraHash: codeCacheVersion(folder) });

const SYNCHRONOUS = 'Only the gateway calls it, synchronously: the client gets the error and can repeat the request.';

export const createFunction = (
  scope: Construct,
  file: string,
  endpoint: Endpoint,
  dependencies: FunctionDependencies,
): Lambda => {
  const options = {
    description: endpoint.route,
    limits: LAMBDA_DEFAULTS,
    grants: isPublic(endpoint) ? [] : grantsOf(endpoint, dependencies),
    environment: endpointVariables(endpoint, dependencies.settings, dependencies),
    reserved: dependencies.settings.reservedConcurrency[file],
    failureHandling: SYNCHRONOUS,
  };
  return createLambda(scope, bundleName(file), options, dependencies);
};
