import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { ROOT } from '#infra/build/bundle.ts';
import { createTopic } from '#infra/monitoring/topic.ts';
import { settingsOf } from '#infra/settings/settings.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { DAMAGES } from '#test/support/documents/code-cache.ts';
import { type Any, KEYS, type Resource } from './deployment.ts';
import { dev, PROD, prod, stages } from './stages.ts';

const devResources = dev.all;

const ALARM = 'AWS::CloudWatch::Alarm';
const alarm = (name: string): Resource => devResources(ALARM).find((one) => nameOf(one) === name) as Resource;
const nameOf = ({ Properties }: Resource): string => Properties['AlarmName'].replace(/^invoicing-(dev|prod)-/, '');

/** The titles of the runbook's sections on alarms. */
const sections = (): string[] => {
  const [, alarms = ''] = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').split(/^## Alarms$/m);
  return [...alarms.matchAll(/^### (.+)$/gm)].map(([, title]) => title as string);
};

describe('the alarms', () => {
  test('every alarm: has one section of the runbook, and no section is without its alarm', () => {
    expect(devResources(ALARM).map(nameOf).sort()).toEqual(sections().sort());
  });

  test.each([
    ['dev', 'docs/runbook.md'],
    ['prod', 'https://wiki.example.com/runbook'],
  ] as const)('stage %s: every alarm links to its section of %s, and notifies the topic', (stage, runbook) => {
    const { all, resources } = stages[stage];
    const [topic] = Object.keys(resources).filter((id) => resources[id]?.Type === 'AWS::SNS::Topic');
    expect(all(ALARM).length).toBeGreaterThan(5);
    for (const alarm of all(ALARM)) {
      const { AlarmName, AlarmDescription, AlarmActions, OKActions } = alarm.Properties;
      expect(AlarmName).toBe(`invoicing-${stage}-${nameOf(alarm)}`);
      expect(AlarmDescription).toMatch(new RegExp(`^[A-Z].*\\. What to do: ${runbook}#${nameOf(alarm)}$`));
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
    }
  });

  test('every alarm: fires above its threshold; missing data fires only those whose metric workers always report, which exist before', () => {
    for (const { Properties, DependsOn = [] } of devResources(ALARM)) {
      const isAlwaysReported = /Overdue|Lag/.test(Properties['MetricName']);
      const expected = {
        TreatMissingData: isAlwaysReported ? 'breaching' : 'notBreaching',
        ComparisonOperator: 'GreaterThanThreshold',
      };
      expect(Properties).toMatchObject(expected);
      expect(DependsOn.some((id) => id.startsWith('workersreconcile'))).toBe(isAlwaysReported);
      expect(Properties['DatapointsToAlarm']).toBeLessThanOrEqual(Properties['EvaluationPeriods']);
    }
  });

  test.each([
    ['slow-answers', 'AWS/ApiGateway Latency', { ExtendedStatistic: 'p99', Threshold: 3000 }],
    ['lambda-throttles', 'AWS/Lambda Throttles', { Statistic: 'Sum', Threshold: 0 }],
    ['oldest-exports-message', 'AWS/SQS ApproximateAgeOfOldestMessage', { Statistic: 'Maximum' }],
    ['exports-dead-letters', 'AWS/SQS ApproximateNumberOfMessagesVisible', { Threshold: 0 }],
    ['table-throttles', 'invoicing-dev TableThrottles', { Statistic: 'Sum', Threshold: 10 }],
    ['overdue-sealing', 'invoicing-dev SealingOverdueSeconds', { Statistic: 'Maximum', Threshold: 900 }],
  ])('alarm %s: watches the metric %s as %j', (name, metric, expected) => {
    const [Namespace, MetricName] = metric.split(' ');
    expect(alarm(name).Properties).toMatchObject({ Namespace, MetricName, ...expected });
  });

  test('alarm server-errors: watches the percentage of 5xx responses of the gateway', () => {
    const { Metrics, Threshold } = alarm('server-errors').Properties;
    expect(Threshold).toBe(1);
    const [share, ...inputs] = Metrics;
    expect(share.Expression).toBe('IF(errors >= 5, 100 * errors / requests, 0)');
    const read = inputs.map(({ Id, MetricStat: { Metric, Stat } }: Any) => [Id, Metric.MetricName, Stat]);
    expect(read).toEqual([
      ['errors', '5xx', 'Sum'],
      ['requests', 'Count', 'Sum'],
    ]);
  });

  test.each(Object.keys(queues))('the alarms of the queue %s: watch it and its dead-letter queue', (queue) => {
    const queueOf = (name: string): string => alarm(name).Properties['Dimensions'][0].Value['Fn::GetAtt'][0];
    expect(queueOf(`${queue}-dead-letters`)).toMatch(new RegExp(`^${queue}deadletters`));
    expect(queueOf(`oldest-${queue}-message`)).toMatch(new RegExp(`^${queue}queue`));
  });

  test('alarms on the service’s metrics: read the namespace and dimension that its functions write', () => {
    for (const [stage, { all, functions }] of Object.entries(stages)) {
      const own = all(ALARM).filter(({ Properties }) => Properties['Namespace']?.startsWith('invoicing'));
      expect(own.length).toBeGreaterThan(2);
      for (const { Properties } of own) {
        expect(Properties['Namespace']).toBe(`invoicing-${stage}`);
        expect(Properties['Dimensions']).toEqual([{ Name: 'service', Value: 'invoicing' }]);
      }
      for (const { Properties } of Object.values(functions)) {
        expect(Properties['Environment'].Variables['POWERTOOLS_METRICS_NAMESPACE']).toBe(`invoicing-${stage}`);
      }
    }
  });
});

describe('the topic', () => {
  test('the topic policy: only CloudWatch may publish, for this account, over TLS', () => {
    const [{ Properties }] = dev.all('AWS::SNS::TopicPolicy') as [Resource];
    expect(Properties['PolicyDocument'].Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('alarmEmail in the context: the topic has an e-mail subscription; without it no subscription', () => {
    const subscriptions = ({ all }: typeof dev) => all('AWS::SNS::Subscription');
    expect(subscriptions(dev)).toEqual([]);
    const [{ Properties }] = subscriptions(prod) as [Resource];
    expect(Properties).toMatchObject({ Protocol: 'email', Endpoint: 'ops@example.com' });
  });

  test.each([
    ['prod without alarmEmail and runbook', PROD, ['-c alarmEmail', '-c runbook']],
    ['prod with both', { ...PROD, alarmEmail: 'ops@example.com', runbook: 'https://wiki.example.com/' }, []],
    ['dev', { stage: 'dev' }, []],
  ])('%s: synthesis warns about what is missing', (_, context, expected) => {
    const stack = new Stack();
    const given: Readonly<Record<string, string>> = context;
    createTopic(
      stack,
      settingsOf(
        (key) => given[key],
        [],
        () => KEYS,
      ),
    );
    const warnings = stack.node.metadata.filter(({ type }) => type === 'aws:cdk:warning');
    expect(warnings.map(({ data }) => /-c \w+/.exec(data)?.[0])).toEqual(expected);
  });
});

describe('the dashboard', () => {
  const bodyOf = ([dashboard]: Resource[]): string => {
    const body = dashboard?.Properties['DashboardBody'];
    return typeof body === 'string' ? body : body['Fn::Join'][1].map((part: Any) => part.Ref ?? part).join('');
  };
  const body = bodyOf(dev.all('AWS::CloudWatch::Dashboard'));

  test('every route and every worker: invocations, errors and durations are shown', () => {
    const widgets: Any[] = JSON.parse(body).widgets;
    const names = [...Object.values(endpoints).map(({ route }) => route), ...Object.keys(workers)];
    for (const metric of ['Invocations', 'Errors', 'Duration']) {
      const lines = widgets.flatMap(({ properties }) => properties.metrics ?? []).filter((line) => line[1] === metric);
      expect(lines.map((line: Any) => line.at(-1).label)).toEqual(names);
    }
    for (const shown of ['by route, status', 'MoneyTaken', 'ExportsOverdue', 'ApproximateAgeOfOldestMessage'])
      expect(body).toContain(shown);
  });

  test('cold starts: their lines are counted by the state of the code cache, and each state is shown', () => {
    const [filter] = dev.all('AWS::Logs::MetricFilter');
    const namespace = 'invoicing-dev';
    expect(filter?.Properties).toMatchObject({
      FilterPattern: '{ $.code_cache = "*" }',
      MetricTransformations: [
        {
          MetricNamespace: namespace,
          MetricName: 'ColdStarts',
          MetricValue: '1',
          Dimensions: [{ Key: 'code_cache', Value: '$.code_cache' }],
        },
      ],
    });
    for (const [, state] of DAMAGES) expect(body).toContain(`"${namespace}","ColdStarts","code_cache","${state}"`);
    expect(body).toContain('"ColdStarts","code_cache","accepted"');
  });
});
