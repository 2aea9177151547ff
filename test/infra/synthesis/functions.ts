import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { ROOT } from '#infra/build/bundle.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { isPublic, type Operation, type PublicOperation } from '#shared/platform/http/endpoint.ts';
import { lambda, publicLambda, sendingLambda } from '#shared/runtime/endpoint-runtime.ts';
import { workerLambda } from '#shared/runtime/worker-runtime.ts';
import type { Any } from './deployment.ts';
import { dev, limited, PROD, prod, stages } from './stages.ts';

const files = Object.keys(endpoints);
const all = [...files, ...Object.keys(workers)];

describe('the Lambda functions', () => {
  test('every endpoint and every worker: one function, which runs its bundle', () => {
    expect(Object.keys(dev.functions).sort()).toEqual([...all].sort());
    expect(dev.all('AWS::Lambda::Function')).toHaveLength(all.length);
  });

  test('every function: runs nodejs24.x on arm64; that of an endpoint times out after 15 seconds', () => {
    const expected = { Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' };
    for (const { Properties } of Object.values(dev.functions)) expect(Properties).toMatchObject(expected);
    for (const file of files) expect(dev.functions[file]?.Properties['Timeout']).toBe(15);
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

  const variables = (file: string): Record<string, Any> => dev.functions[file]?.Properties['Environment'].Variables;

  test.each([
    ['service/docs', 'EXPORTS_BUCKET'],
    ['service/protected-resource', 'ISSUER'],
    ['workers/export', 'NODE_OPTIONS'],
  ])('%s: gets the variable %s, without which it starts, too', (file, name) => {
    expect(variables(file)).toHaveProperty(name);
  });

  /** Replaces a value that CloudFormation assigns at deployment. The `Ref` of a queue is its URL. */
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
      JWKS_URL: PROD.jwksUrl,
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

  const reservedOf = ({ functions }: typeof dev): Record<string, number> =>
    Object.fromEntries(
      Object.entries(functions).flatMap(([file, { Properties }]) => {
        const reserved = Properties['ReservedConcurrentExecutions'];
        return reserved === undefined ? [] : [[file, reserved]];
      }),
    );

  test('stage dev: reserves executions for the functions of the context only', () => {
    expect(reservedOf(dev)).toEqual({});
    expect(reservedOf(limited)).toEqual({ 'payments/create': 50, 'refunds/create': 7 });
  });

  test('stage prod: reserves executions for each worker, at least as many as its trigger may use, and docs/deploy.md has the sum', () => {
    const reserved = reservedOf(prod);
    expect(Object.keys(reserved).sort()).toEqual(Object.keys(workers).sort());
    for (const { Properties } of prod.all('AWS::Lambda::EventSourceMapping')) {
      const [file = ''] =
        Object.entries(prod.functions).find(([, one]) => one === prod.at(Properties['FunctionName'])) ?? [];
      const { ScalingConfig, ParallelizationFactor } = Properties;
      expect(reserved[file]).toBeGreaterThanOrEqual(ScalingConfig?.MaximumConcurrency ?? ParallelizationFactor);
    }
    const sum = Object.values(reserved).reduce((a, b) => a + b, 0);
    const stated = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8').match(/\*\*\d+ executions\*\*|fewer than \d+/g);
    expect(stated).toEqual([`**${sum} executions**`, `fewer than ${sum + 100}`]);
  });
});
