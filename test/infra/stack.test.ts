import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { packs } from '#infra/stack.ts';
import { EXPORTED } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { lambda, publicLambda, sendingLambda } from '#shared/lambda/runtime.ts';
import { workerLambda } from '#shared/lambda/worker-runtime.ts';
import { isPublic, type Operation, type PublicOperation } from '#shared/platform/endpoint.ts';
import { type Any, deploy, PROD, type Resource } from './deployment.ts';

const dev = deploy();
const prod = deploy({
  ...PROD,
  arch: 'x86_64',
  jwksUrl: 'https://id.test/jwks',
  accountClaim: 'custom:account_id',
  corsOrigins: 'https://a.test https://b.test',
  idempotencyTtlHours: '48',
  v1Deprecation: '2027-01-31',
  v1Sunset: '2028-01-31T12:30:00Z',
  customerKey: 'true',
  alarmEmail: 'ops@example.com',
});
const stages = { dev, prod };
const files = Object.keys(endpoints);
const all = [...files, ...Object.keys(workers)];
const endpointFunctions = files.map((file) => dev.functions[file]);

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
      expect(new Set(called)).toEqual(new Set(endpointFunctions));
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

  test('the stage: is throttled, routes that write at a fifth of its limits, and is created after the routes', () => {
    for (const [{ all, resources }, rate, burst] of [
      [dev, 50, 100],
      [prod, 500, 1000],
      [deploy({ throttleRate: '20', throttleBurst: '3' }), 20, 3],
    ] as const) {
      const [{ Properties, DependsOn }] = all('AWS::ApiGatewayV2::Stage') as [Resource];
      expect(Properties['DefaultRouteSettings']).toEqual({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst });
      const lower = { ThrottlingRateLimit: rate / 5, ThrottlingBurstLimit: Math.round(burst / 5) };
      const keys = all('AWS::ApiGatewayV2::Route').map((route) => route.Properties['RouteKey'] as string);
      const writing = keys.filter((key) => /^(POST|PUT|PATCH|DELETE) /.test(key));
      expect(writing).toContain('POST /v2/payments');
      expect(Properties['RouteSettings']).toEqual(Object.fromEntries(writing.map((key) => [key, lower])));
      const routes = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::ApiGatewayV2::Route');
      expect(DependsOn).toEqual(expect.arrayContaining(routes));
    }
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

  test('the outputs: the addresses of the API and its documentation, a curl command, and the log group', () => {
    const address = { 'Fn::GetAtt': ['api', 'ApiEndpoint'] };
    const outputsOf = ({ outputs }: typeof dev) =>
      Object.fromEntries(Object.entries(outputs).map(([k, v]) => [k, v.Value]));
    const token = '$(npm run --silent token -- --account acct_1 --sub user_1 --role admin)';
    const curl = (bearer: string) => ['curl ', address, `/v1/invoices -H "Authorization: Bearer ${bearer}"`];
    const addresses = { Address: address, Docs: { 'Fn::Join': ['', [address, '/docs']] } };
    const Logs = Object.values(dev.functions)[0]?.Properties['LoggingConfig'].LogGroup;
    expect(outputsOf(dev)).toEqual({ ...addresses, Curl: { 'Fn::Join': ['', curl(token)] }, Logs });
    expect(outputsOf(prod)).toEqual({ ...addresses, Curl: { 'Fn::Join': ['', curl('$TOKEN')] }, Logs });
  });
});

describe('the Lambda functions', () => {
  test('every endpoint and every worker: one function, which runs its bundle', () => {
    expect(Object.keys(dev.functions).sort()).toEqual([...all].sort());
    expect(dev.all('AWS::Lambda::Function')).toHaveLength(all.length);
  });

  test('every function: runs nodejs24.x on arm64; that of an endpoint times out after 15 seconds', () => {
    const expected = { Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' };
    for (const { Properties } of Object.values(dev.functions)) expect(Properties).toMatchObject(expected);
    for (const endpoint of endpointFunctions) expect(endpoint?.Properties['Timeout']).toBe(15);
  });

  test.each(Object.entries(stages))(
    'stage %s: the functions share a log group, apart from the access log; both have a retention period',
    (stage, { functions, all, at }) => {
      const used = new Set(Object.values(functions).map(({ Properties }) => at(Properties['LoggingConfig'].LogGroup)));
      expect([used.size, all('AWS::Logs::LogGroup').length]).toEqual([1, 2]);
      for (const { Properties } of all('AWS::Logs::LogGroup')) {
        expect(Properties['RetentionInDays']).toBe(stage === 'prod' ? 90 : 7);
      }
    },
  );

  const PUBLIC = ['CORS_ORIGINS', 'POWERTOOLS_METRICS_NAMESPACE'];
  const IDENTITY = ['ISSUER', 'AUDIENCE', 'JWKS_URL', 'ACCOUNT_CLAIM', 'SCOPE_CLAIM', 'ROLE_CLAIM'];
  const WORKER = [
    ...['EXPORTS_TABLE', 'COUNTERS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB', 'EXPORTS_QUEUE_URL', 'AWS_ENDPOINT_URL_SQS'],
    ...['OUTBOX_TABLE', 'EXPORTS_BUCKET', 'AWS_ENDPOINT_URL_S3', 'POWERTOOLS_METRICS_NAMESPACE'],
  ];
  const variables = (file: string): Record<string, Any> => dev.functions[file]?.Properties['Environment'].Variables;

  test.each([
    ['service/health', PUBLIC],
    ['service/fallback', PUBLIC],
    ['customers/get', [...PUBLIC, ...IDENTITY, 'CUSTOMERS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB']],
    [
      'invoices/create',
      [
        ...[...PUBLIC, ...IDENTITY, 'INVOICES_TABLE', 'CUSTOMERS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB'],
        ...['OUTBOX_TABLE', 'IDEMPOTENCY_TABLE', 'IDEMPOTENCY_TTL_HOURS'],
      ],
    ],
    [
      'payments/create',
      [
        ...[...PUBLIC, ...IDENTITY, 'INVOICES_TABLE', 'PAYMENTS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB'],
        ...[
          'OUTBOX_TABLE',
          'IDEMPOTENCY_TABLE',
          'IDEMPOTENCY_TTL_HOURS',
          'CLERK_PAYMENT_LIMIT_CENTS',
          'REFUND_WINDOW_DAYS',
        ],
      ],
    ],
    [
      'exports/create',
      [
        ...[...PUBLIC, ...IDENTITY, 'EXPORTS_TABLE', 'IDEMPOTENCY_TABLE', 'IDEMPOTENCY_TTL_HOURS'],
        ...['COUNTERS_TABLE', 'OUTBOX_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB', 'EXPORTS_QUEUE_URL', 'AWS_ENDPOINT_URL_SQS'],
      ],
    ],
    ['exports/get', [...PUBLIC, ...IDENTITY, 'EXPORTS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB']],
    [
      'exports/get-file',
      [
        ...[...PUBLIC, ...IDENTITY, 'EXPORTS_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB'],
        ...['EXPORTS_BUCKET', 'AWS_ENDPOINT_URL_S3'],
      ],
    ],
    ['workers/export', [...WORKER, ...Object.values(EXPORTED).map(({ variable }) => variable), 'NODE_OPTIONS']],
    ['workers/reconcile', [...WORKER, 'DELIVERIES_TABLE', 'DELIVERIES_QUEUE_URL']],
    [
      'workers/publish',
      [
        ...['OUTBOX_TABLE', 'EVENTS_TABLE', 'WEBHOOKS_TABLE', 'DELIVERIES_TABLE', 'AWS_ENDPOINT_URL_DYNAMODB'],
        ...['DELIVERIES_QUEUE_URL', 'AWS_ENDPOINT_URL_SQS', 'POWERTOOLS_METRICS_NAMESPACE'],
      ],
    ],
    ['service/docs', [...PUBLIC, 'EXPORTS_BUCKET', 'AWS_ENDPOINT_URL_S3']],
  ])('%s: gets only the environment variables that it needs', (file, expected) => {
    expect(Object.keys(variables(file)).sort()).toEqual([...expected].sort());
  });

  /** Stands in for a value that CloudFormation assigns at deployment; the `Ref` of a queue is its URL. */
  const deployedValue = (name: string, value: Any): string => {
    if (value.Ref === undefined) return value;
    return name.endsWith('_QUEUE_URL') ? `https://sqs.test/${value.Ref}` : value.Ref;
  };

  const handlerOf = (file: string, environment: Record<string, string>): unknown => {
    const worker = workers[file];
    if (worker) return workerLambda(worker, environment);
    const endpoint = endpoints[file] as Operation | PublicOperation;
    if (isPublic(endpoint)) return publicLambda(endpoint, environment);
    return endpoint.sendsTo ? sendingLambda(endpoint, { environment }) : lambda(endpoint, { environment });
  };

  test.each(all)('%s: starts with the environment variables that it gets', (file) => {
    const pairs = Object.entries(variables(file)).map(([name, value]) => [name, deployedValue(name, value)] as const);
    const environment = Object.fromEntries(pairs);
    expect(pairs.filter(([name, value]) => name.startsWith('AWS_ENDPOINT_URL_') && value !== '')).toEqual([]);
    expect(handlerOf(file, environment)).toEqual(expect.any(Function));
  });

  test('every table: its name is in the environment variable that it declares', () => {
    const found = Object.assign({}, ...files.map(variables));
    for (const [name, { variable }] of Object.entries(tables)) {
      expect(found[variable].Ref).toMatch(new RegExp(`^${name}table[0-9A-F]{8}$`));
    }
  });

  test('settings of the context: reach the functions as environment variables', () => {
    const { Architectures, Environment } = prod.functions['customers/create']?.Properties ?? {};
    expect(Architectures).toEqual(['x86_64']);
    expect(Environment.Variables).toMatchObject({
      ISSUER: PROD.issuer,
      AUDIENCE: PROD.audience,
      JWKS_URL: 'https://id.test/jwks',
      ACCOUNT_CLAIM: 'custom:account_id',
      SCOPE_CLAIM: 'scope',
      CORS_ORIGINS: 'https://a.test,https://b.test',
      IDEMPOTENCY_TTL_HOURS: '48',
      POWERTOOLS_METRICS_NAMESPACE: 'invoicing-prod',
      V1_DEPRECATION: '2027-01-31T00:00:00Z',
      V1_SUNSET: '2028-01-31T12:30:00Z',
    });
    expect(Environment.Variables).not.toHaveProperty('V2_DEPRECATION');
  });

  test('every function: X-Ray tracing is active', () => {
    for (const { Properties } of Object.values(dev.functions)) {
      expect(Properties['TracingConfig']).toEqual({ Mode: 'Active' });
    }
  });

  test('reservedConcurrency in the context: set on the named functions only', () => {
    const { functions } = deploy({ reservedConcurrency: 'payments/create=50, refunds/create=7' });
    const reserved = Object.entries(functions).map(([file, { Properties }]) => [
      file,
      Properties['ReservedConcurrentExecutions'],
    ]);
    expect(reserved.filter(([, number]) => number !== undefined)).toEqual([
      ['payments/create', 50],
      ['refunds/create', 7],
    ]);
  });
});

describe('the stack', () => {
  test('the template with every option: fewer than 450 resources, of the 500 that CloudFormation permits', () => {
    const { resources } = deploy({ ...PROD, edge: 'true', customerKey: 'true', alarmEmail: 'ops@example.com' });
    expect(Object.keys(resources).length).toBeLessThan(450);
  });

  test.each(Object.entries(stages))('stage %s: cdk-nag reports no unacknowledged finding', (_, { stack }) => {
    for (const Pack of packs) expect(new Pack(stack).validateScope(stack).violations).toEqual([]);
  });
});
