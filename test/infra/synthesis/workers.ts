import { describe, expect, test } from '@jest/globals';
import { workers } from '#functions/workers.ts';
import { complete } from '#shared/invoicing/exports/job.ts';
import { UPLOAD_DAYS } from '#shared/invoicing/exports/lifetimes.ts';
import { requestExport } from '#shared/invoicing/exports/rules.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { isConsumer } from '#shared/platform/declarations/worker.ts';
import type { Any, Resource } from './deployment.ts';
import { dev, stages } from './stages.ts';

const idOf = (reference: Any): string => reference.Ref ?? reference['Fn::GetAtt'][0];

const sourceOf = (worker: Resource): Resource => {
  const sources = dev.all('AWS::Lambda::EventSourceMapping');
  const own = sources.filter(({ Properties }) => dev.at(Properties['FunctionName']) === worker);
  expect(own).toHaveLength(1);
  return own[0] as Resource;
};

const consumers = Object.entries(workers).flatMap(([file, worker]) =>
  isConsumer(worker) ? [[worker.trigger.queue, file, worker] as const] : [],
);

test('every queue: has one consumer', () => {
  expect(consumers.map(([queue]) => queue).sort()).toEqual(Object.keys(queues).sort());
});

describe.each(consumers)('the queue %s', (_, file, { trigger, seconds }) => {
  const worker = dev.functions[file] as Resource;
  const source = sourceOf(worker);
  const queue = dev.at(source.Properties['EventSourceArn']);
  const dead = dev.at(queue.Properties['RedrivePolicy'].deadLetterTargetArn);

  test('the event source: the declared size and number of batches; failures are reported one by one', () => {
    expect(source.Properties).toMatchObject({
      BatchSize: trigger.batch,
      ScalingConfig: { MaximumConcurrency: trigger.concurrency },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('the visibility timeout: at least six times the timeout of the worker', () => {
    expect(worker.Properties['Timeout']).toBe(seconds);
    expect(queue.Properties['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * seconds);
  });

  test('a message received five times: moves to the dead-letter queue, which keeps it for 14 days', () => {
    expect(queue.Properties['RedrivePolicy'].maxReceiveCount).toBe(5);
    expect(dead.Properties['MessageRetentionPeriod']).toBe(14 * 24 * 3600);
    expect(dead.Properties).not.toHaveProperty('RedrivePolicy');
  });
});

test('a worker that sends messages to its own queue: Lambda does not stop its chain as a loop, unlike others [CONTRACT §9, §15]', () => {
  const allowed = Object.entries(dev.functions).filter(([, { Properties }]) => Properties['RecursiveLoop'] === 'Allow');
  expect(allowed.map(([file]) => file).sort()).toEqual(['workers/deliver', 'workers/export']);
  expect(dev.all('AWS::Lambda::Function').filter(({ Properties }) => 'RecursiveLoop' in Properties)).toHaveLength(2);
});

test('the stream of the outbox: starts the publisher for inserts, without retries [CONTRACT §15]', () => {
  const { Properties } = sourceOf(dev.functions['workers/publish-changes'] as Resource);
  expect(Properties).toMatchObject({
    StartingPosition: 'LATEST',
    ParallelizationFactor: 10,
    FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
    MaximumRetryAttempts: 0,
  });
  const [table] = Properties['EventSourceArn']['Fn::GetAtt'];
  expect(dev.resources[table]?.Properties['StreamSpecification']).toEqual({ StreamViewType: 'KEYS_ONLY' });
});

describe('the exports bucket', () => {
  const [bucket] = dev.all('AWS::S3::Bucket') as [Resource];

  test('the bucket: the only one, encrypted, and closed to the public', () => {
    expect(dev.all('AWS::S3::Bucket')).toHaveLength(1);
    expect(bucket.Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const [rule] = bucket.Properties['BucketEncryption'].ServerSideEncryptionConfiguration;
    expect(rule.ServerSideEncryptionByDefault.SSEAlgorithm).toBe('AES256');
    expect(bucket.Properties['OwnershipControls'].Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
  });

  test('a file: deleted when the longest upload and then its 7 days have passed; an upload: aborted not before the longest one [CONTRACT §9]', () => {
    const [rule, ...others] = bucket.Properties['LifecycleConfiguration'].Rules;
    expect([rule.Status, others]).toEqual(['Enabled', []]);
    expect(rule.AbortIncompleteMultipartUpload.DaysAfterInitiation).toBeGreaterThanOrEqual(UPLOAD_DAYS);
    // S3 counts from the beginning of the upload, `expires_at` from its end, and a URL is valid for minutes longer.
    const end = new Date();
    const job = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: end.toISOString() });
    const file = { key: '', row_count: 0, size_bytes: 0, sha256: '' };
    const { expires_at } = complete(job, file, end.toISOString());
    const days = (Date.parse(String(expires_at)) - end.getTime()) / 86_400_000;
    expect([days, rule.ExpirationInDays]).toEqual([7, days + UPLOAD_DAYS + 1]);
    expect(bucket.Properties).not.toHaveProperty('VersioningConfiguration');
  });

  test('CORS: a page of any origin may read a file, with any headers, and nothing else', () => {
    const { CorsRules } = bucket.Properties['CorsConfiguration'];
    expect(CorsRules).toEqual([{ AllowedMethods: ['GET', 'HEAD'], AllowedOrigins: ['*'], AllowedHeaders: ['*'] }]);
  });

  test('a deleted stack: deletes the bucket in dev, and retains it in prod', () => {
    const policies = Object.values(stages).map(({ all }) => all('AWS::S3::Bucket')[0]?.DeletionPolicy);
    expect(policies).toEqual(['Delete', 'Retain']);
  });
});

describe('the schedules of the workers', () => {
  const SCHEDULES = {
    'workers/publish-waiting-changes': 'rate(1 minute)',
    'workers/reconcile': 'rate(1 minute)',
    'workers/seal': 'rate(1 minute)',
    'workers/wake-webhook-endpoints': 'rate(5 minutes)',
  };
  const scheduled = Object.keys(SCHEDULES).map((file) => dev.functions[file]);
  const rules = dev.all('AWS::Events::Rule');

  test('each starts one worker, without retries [CONTRACT §9, §14, §15]', () => {
    expect(rules.map(({ Properties }) => Properties['ScheduleExpression'])).toEqual(Object.values(SCHEDULES));
    const started = rules.map(({ Properties }) => {
      expect(Properties).toMatchObject({ State: 'ENABLED' });
      const [target, ...others] = Properties['Targets'];
      expect([target.RetryPolicy, others]).toEqual([{ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 }, []]);
      return dev.at(target.Arn);
    });
    expect(started).toEqual(scheduled);
    const configs = dev.all('AWS::Lambda::EventInvokeConfig').map(({ Properties }) => Properties);
    expect(configs.map(({ FunctionName }) => dev.at(FunctionName))).toEqual(scheduled);
    for (const config of configs) expect(config['MaximumRetryAttempts']).toBe(0);
  });

  test('invoke permissions: only for the gateway and for these schedules', () => {
    const callers = dev
      .all('AWS::Lambda::Permission')
      .map(({ Properties }) => Properties)
      .filter(({ Principal }) => Principal !== 'apigateway.amazonaws.com');
    for (const permission of callers) {
      expect(permission).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'events.amazonaws.com' });
    }
    expect(callers.map(({ FunctionName }) => dev.at(FunctionName))).toEqual(scheduled);
    expect(callers.map(({ SourceArn }) => dev.resources[idOf(SourceArn)])).toEqual(rules);
  });
});
