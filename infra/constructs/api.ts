import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { CfnApi, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import { createLogs } from './logs.ts';

/** One line of the access log. It contains no header, query or body, because these may contain secrets. */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  response_bytes: '$context.responseLength',
  response_ms: '$context.responseLatency',
  integration_ms: '$context.integrationLatency',
  integration_error: '$context.integrationErrorMessage',
  // The client's X-Request-Id, and `request_id` in the function's log line.
  lambda_request_id: '$context.integration.requestId',
});

// The ARN in the form in which the gateway stores it. The log group's own attribute ends in `:*`, which drift detection
// would always report.
const arnOf = (logs: LogGroup): string =>
  Stack.of(logs).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: logs.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/**
 * Creates the only stage of the API, and its access log.
 * @param routes all routes of the API. CloudFormation creates all routes before the stage, so the stage never serves
 * only some of them
 */
export const createStage = (
  scope: Construct,
  api: CfnApi,
  routes: readonly CfnRoute[],
  settings: Settings,
): LogGroup => {
  const logs = createLogs(scope, 'access-logs', settings);
  const stage = new CfnStage(scope, 'stage', {
    apiId: api.ref,
    stageName: '$default',
    autoDeploy: true,
    accessLogSettings: { destinationArn: arnOf(logs), format: ACCESS_LOG },
    defaultRouteSettings: {
      throttlingRateLimit: settings.throttle.rate,
      throttlingBurstLimit: settings.throttle.burst,
    },
  });
  for (const route of routes) stage.addResourceDependency(route);
  return logs;
};

/**
 * The Lambdas handle CORS, tokens and unknown paths, not the gateway: the same code also runs locally, and every error is
 * problem+json. The gateway's CORS would also replace the headers of the Lambdas.
 */
export const createApi = (scope: Construct, { stage }: Settings): CfnApi =>
  new CfnApi(scope, 'api', { name: `invoicing-${stage}`, protocolType: 'HTTP' });

// One permission covers all routes of a function, hence the wildcards for stage and route. The ARN of `$default` has no
// method, so `*/*/*` of CDK's own integration would not match it.
const allowGateway = (scope: Construct, lambda: Lambda, api: CfnApi): void =>
  lambda.addPermission('gateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: Stack.of(scope).formatArn({ service: 'execute-api', resource: api.ref, resourceName: '*/*' }),
  });

const VERIFIES_TOKEN =
  'The Lambda verifies the token itself (CONTRACT §2): an authorizer of the gateway accepts only RSA signatures, ' +
  'cannot respond with problem+json, and does not exist when the handler runs locally.';
const PUBLIC = 'Public by contract (CONTRACT §4): it has no access to data.';

export const createRoutes = (scope: Construct, api: CfnApi, endpoint: Endpoint, lambda: Lambda): CfnRoute[] => {
  allowGateway(scope, lambda, api);
  const integration = new CfnIntegration(scope, `${lambda.node.id}-integration`, {
    apiId: api.ref,
    integrationType: 'AWS_PROXY',
    integrationUri: lambda.functionArn,
    payloadFormatVersion: '2.0',
  });
  const keys =
    endpoint.route === DEFAULT_ROUTE
      ? [DEFAULT_ROUTE]
      : routesOf(endpoint).map(({ method, path }) => `${method} ${path}`);
  return keys.map((routeKey) => {
    const route = new CfnRoute(scope, routeKey, {
      apiId: api.ref,
      routeKey,
      target: `integrations/${integration.ref}`,
    });
    const reason = isPublic(endpoint) ? PUBLIC : VERIFIES_TOKEN;
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    return route;
  });
};
