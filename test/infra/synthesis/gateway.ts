import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/platform/http/endpoint.ts';
import { BURST_S } from '#shared/platform/limits/limiter.ts';
import type { Any, Resource } from './deployment.ts';
import { dev, limited, prod } from './stages.ts';

const files = Object.keys(endpoints);

describe('the gateway', () => {
  /** The file of the endpoint that a route invokes. */
  const targetOf = ({ Properties: { Target } }: Resource): string | undefined => {
    const [, [prefix, integration]] = Target['Fn::Join'];
    expect(prefix).toBe('integrations/');
    const called = dev.at(dev.at(integration).Properties['IntegrationUri']);
    return files.find((file) => dev.functions[file] === called);
  };

  test('every method and path of an endpoint: one route for each version, and no other routes [CONTRACT §4]', () => {
    const expected = Object.entries(endpoints).flatMap(([file, endpoint]) => {
      const [method, path] = endpoint.route.split(' ');
      if (path === undefined) return [['$default', file]];
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
      const paths = isPublic(endpoint) ? [path] : [`/v1${path}`, `/v2${path}`];
      return paths.flatMap((one) => methods.map((each) => [`${each} ${one}`, file]));
    });
    const routes = dev.all('AWS::ApiGatewayV2::Route').map((route) => [route.Properties['RouteKey'], targetOf(route)]);
    expect(routes.sort()).toEqual(expected.sort());
  });

  const permissions = dev
    .all('AWS::Lambda::Permission')
    .filter(({ Properties }) => Properties['Principal'] === 'apigateway.amazonaws.com');

  test('every endpoint: one integration and one invoke permission', () => {
    for (const [callers, uri] of [
      [dev.all('AWS::ApiGatewayV2::Integration'), 'IntegrationUri'],
      [permissions, 'FunctionName'],
    ] as const) {
      const called = callers.map(({ Properties }) => dev.at(Properties[uri]));
      expect(new Set(called)).toEqual(new Set(files.map((file) => dev.functions[file])));
      expect(called).toHaveLength(files.length);
    }
    for (const { Properties } of dev.all('AWS::ApiGatewayV2::Integration')) {
      expect(Properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
    }
  });

  test('an invoke permission: covers every stage and route of this API', () => {
    const [[api]] = Object.entries(dev.resources).filter(([, { Type }]) => Type === 'AWS::ApiGatewayV2::Api') as [Any];
    for (const { Properties } of permissions) {
      expect(Properties).toMatchObject({ Action: 'lambda:InvokeFunction' });
      expect(Properties['SourceArn']['Fn::Join'][1].slice(-3)).toEqual([':', { Ref: api }, '/*/*']);
    }
  });

  test('the API: no CORS configuration and no authorizer, because the Lambdas handle both', () => {
    for (const { Properties } of dev.all('AWS::ApiGatewayV2::Api'))
      expect(Properties).not.toHaveProperty('CorsConfiguration');
    for (const { Properties } of dev.all('AWS::ApiGatewayV2::Route'))
      expect(Properties).not.toHaveProperty('AuthorizerId');
  });

  const stageOf = ({ all }: typeof dev) => (all('AWS::ApiGatewayV2::Stage') as [Resource])[0];

  test.each([
    ['dev', dev, 1, 100, 1000],
    ['prod', prod, 5, 5000, 5000],
    ['with limits of its own', limited, 1, 3, 20],
  ] as const)(
    'stage %s: no route has a limit of its own, and the limits of all let enough accounts use their budget [CONTRACT §16]',
    (_, stage, budgets, rate, burst) => {
      const { Properties } = stageOf(stage);
      expect(Properties['DefaultRouteSettings']).toEqual({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst });
      expect(Properties).not.toHaveProperty('RouteSettings');
      const perSecond = Number(
        stage.functions['customers/get']?.Properties['Environment'].Variables.RATE_LIMIT_PER_SECOND,
      );
      const cheapest = Math.min(...Object.values(endpoints).flatMap((one) => (isPublic(one) ? [] : [one.cost])));
      expect(rate).toBeGreaterThanOrEqual((budgets * perSecond) / cheapest);
      expect(burst).toBeGreaterThanOrEqual((budgets * perSecond * BURST_S) / cheapest);
    },
  );

  test('the stage: is created after the routes', () => {
    const routes = Object.keys(dev.resources).filter((id) => dev.resources[id]?.Type === 'AWS::ApiGatewayV2::Route');
    expect(stageOf(dev).DependsOn).toEqual(expect.arrayContaining(routes));
  });

  test('the access log: JSON without headers, query or claims', () => {
    const [{ Properties: stage }] = dev.all('AWS::ApiGatewayV2::Stage') as [Resource];
    expect(stage).toMatchObject({ StageName: '$default', AutoDeploy: true });
    const { DestinationArn, Format } = stage['AccessLogSettings'];
    expect(dev.at(DestinationArn['Fn::Join'][1].at(-1)).Type).toBe('AWS::Logs::LogGroup');
    for (const logged of Object.values<string>(JSON.parse(Format))) {
      expect(logged).toMatch(
        /^\$context\.(requestId|requestTime|httpMethod|routeKey|path|status|identity\.sourceIp|response\w+|integration\w+|integration\.requestId)$/,
      );
    }
  });

  test('the outputs: addresses and names for people and the pipeline, and a curl command with a token', () => {
    const outputsOf = ({ outputs }: typeof dev) =>
      Object.fromEntries(Object.entries(outputs).map(([k, v]) => [k, v.Value]));
    const address = { 'Fn::GetAtt': ['api', 'ApiEndpoint'] };
    const curl = (token: string) => ['curl ', address, `/v1/invoices -H "Authorization: Bearer ${token}"`];
    const token = '$(npm run --silent token -- --account acct_1 --sub user_1 --role admin)';
    const outputs = { Address: address, Docs: { 'Fn::Join': ['', [address, '/docs']] } };
    expect(outputsOf(dev)).toMatchObject({ ...outputs, Curl: { 'Fn::Join': ['', curl(token)] } });
    expect(outputsOf(prod)).toMatchObject({ ...outputs, Curl: { 'Fn::Join': ['', curl('$TOKEN')] } });
    const names = ['Address', 'AlarmTopic', 'Curl', 'Dashboard', 'Docs', 'Logs'];
    expect(Object.keys(dev.outputs).sort()).toEqual(names);
    expect(Object.keys(prod.outputs).sort()).toEqual([...names, 'Edge'].sort());
  });
});
