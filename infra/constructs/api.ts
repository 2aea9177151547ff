import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { CfnApi, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { endpoints } from '#functions/index.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type Endpoint, isPublic } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';
import { createLogs } from './logs.ts';
import { routeThrottles } from './throttles.ts';

/** One line of the access log: what happened, and never a header, a query or a body, which may hold secrets. */
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
  // The X-Request-Id that the client is given, and the `request_id` of the function's own line.
  lambda_request_id: '$context.integration.requestId',
});

// The ARN as the gateway stores it, without the `:*` of the log group's attribute: that would always look like a drift.
const arnOf = (logs: LogGroup): string =>
  Stack.of(logs).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: logs.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/**
 * Creates the only stage of an API, and the log of what comes to it.
 * @param routes of the API, of which some have limits of their own: a stage cannot limit what is not there yet
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
    routeSettings: routeThrottles(Object.values(endpoints), settings),
  });
  for (const route of routes) stage.addResourceDependency(route);
  return logs;
};

/** Creates the HTTP API. CORS and tokens are the Lambdas' business: the same code answers locally. */
export const createApi = (scope: Construct, { stage }: Settings): CfnApi =>
  new CfnApi(scope, 'api', { name: `invoicing-${stage}`, protocolType: 'HTTP' });

// One permission for all of a function's routes, hence the wildcards: they stand for this API's stages and routes.
// `$default` has no method in its ARN, so that the `*/*/*` of CDK's own integration would miss it.
const permit = (scope: Construct, lambda: Lambda, api: CfnApi): void =>
  lambda.addPermission('gateway', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: Stack.of(scope).formatArn({ service: 'execute-api', resource: api.ref, resourceName: '*/*' }),
  });

const AUTHENTICATES =
  'The Lambda verifies the token itself (CONTRACT §2): an authorizer of the gateway takes RSA signatures only, ' +
  'cannot answer problem+json, and is not there when the handler runs locally.';
const PUBLIC = 'Public by contract (CONTRACT §4): it reaches no data, whoever asks.';

/** Routes an endpoint to its Lambda: one integration, one permission, and a route for each version and method. */
export const createRoutes = (scope: Construct, api: CfnApi, endpoint: Endpoint, lambda: Lambda): CfnRoute[] => {
  permit(scope, lambda, api);
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
    const reason = isPublic(endpoint) ? PUBLIC : AUTHENTICATES;
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
    return route;
  });
};
