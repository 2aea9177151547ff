import { describe, expect, test } from '@jest/globals';
import { workers } from '#functions/workers.ts';
import { type Any, deploy, PROD, type Resource } from './deployment.ts';

const dev = deploy();
const prod = deploy(PROD);
const stages = { dev, prod };

const idOf = (reference: Any): string => reference.Ref ?? reference['Fn::GetAtt'][0];

const [source] = dev.all('AWS::Lambda::EventSourceMapping') as [Resource];
const queue = dev.at(source.Properties['EventSourceArn']);
const dead = dev.at(queue.Properties['RedrivePolicy'].deadLetterTargetArn);
const exporter = dev.functions['workers/export'] as Resource;
const reconciler = dev.functions['workers/reconcile'] as Resource;

/** The statements of the policies on a resource of the template. */
const policiesOn = (type: string, on: string, target: Resource): Any[] =>
  dev
    .all(type)
    .filter(({ Properties }) => [Properties[on]].flat().some((one) => dev.at(one) === target))
    .flatMap(({ Properties }) => Properties['PolicyDocument'].Statement);

const TLS_ONLY = expect.objectContaining({
  Effect: 'Deny',
  Principal: { AWS: '*' },
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});

describe('CONTRACT §9: the queue', () => {
  test('starts the worker with batches, of which it names the failures, and with no more of them at once than may', () => {
    expect(dev.all('AWS::Lambda::EventSourceMapping')).toHaveLength(1);
    expect(dev.at(source.Properties['FunctionName'])).toBe(exporter);
    expect(source.Properties).toMatchObject({
      BatchSize: 5,
      ScalingConfig: { MaximumConcurrency: 10 },
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('hides a message for six times as long as the worker may take', () => {
    expect(exporter.Properties['Timeout']).toBe(workers['workers/export']?.seconds);
    expect(queue.Properties['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * exporter.Properties['Timeout']);
  });

  test('gives a message up after five receipts, to a queue that keeps it as long as can be', () => {
    expect(queue.Properties['RedrivePolicy'].maxReceiveCount).toBe(5);
    expect(dead.Properties['MessageRetentionPeriod']).toBe(14 * 24 * 3600);
    expect(dead.Properties).not.toHaveProperty('RedrivePolicy');
  });

  test.each([
    ['the queue', queue],
    ['the dead-letter queue', dead],
  ])('is encrypted and refuses what comes without TLS: %s', (_, one) => {
    expect(one.Properties['SqsManagedSseEnabled']).toBe(true);
    expect(policiesOn('AWS::SQS::QueuePolicy', 'Queues', one)).toEqual([TLS_ONLY]);
  });
});

describe('CONTRACT §9: the bucket', () => {
  const [bucket] = dev.all('AWS::S3::Bucket') as [Resource];

  test('is the only one, and closed to the public', () => {
    expect(dev.all('AWS::S3::Bucket')).toHaveLength(1);
    expect(bucket.Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    expect(bucket.Properties['OwnershipControls'].Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
  });

  test('is encrypted and refuses what comes without TLS', () => {
    const [rule] = bucket.Properties['BucketEncryption'].ServerSideEncryptionConfiguration;
    expect(rule.ServerSideEncryptionByDefault.SSEAlgorithm).toBe('AES256');
    expect(policiesOn('AWS::S3::BucketPolicy', 'Bucket', bucket)).toEqual([TLS_ONLY]);
  });

  test('forgets every file once its 7 days are over, and uploads that nobody ended', () => {
    expect(bucket.Properties['LifecycleConfiguration'].Rules).toEqual([
      { Status: 'Enabled', ExpirationInDays: 8, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
    ]);
    expect(bucket.Properties).not.toHaveProperty('VersioningConfiguration');
  });

  test('lets a page that was sent here read the file, and nothing else', () => {
    const { CorsRules } = bucket.Properties['CorsConfiguration'];
    expect(CorsRules).toEqual([{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }]);
  });

  test('goes with the stack in dev alone', () => {
    const policies = Object.values(stages).map(({ all }) => all('AWS::S3::Bucket')[0]?.DeletionPolicy);
    expect(policies).toEqual(['Delete', 'Retain']);
  });
});

describe('CONTRACT §9: the clock', () => {
  const [rule] = dev.all('AWS::Events::Rule') as [Resource];

  test('starts the reconciler every minute, and does not repeat a call', () => {
    expect(dev.all('AWS::Events::Rule')).toHaveLength(1);
    expect(rule.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' });
    const [target, ...others] = rule.Properties['Targets'];
    expect([dev.at(target.Arn), others]).toEqual([reconciler, []]);
    expect(target.RetryPolicy).toEqual({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    const [config] = dev.all('AWS::Lambda::EventInvokeConfig') as [Resource];
    expect(dev.at(config.Properties['FunctionName'])).toBe(reconciler);
    expect(config.Properties['MaximumRetryAttempts']).toBe(0);
  });

  test('and the gateway are the only callers by permission', () => {
    const callers = dev
      .all('AWS::Lambda::Permission')
      .filter(({ Properties }) => Properties['Principal'] !== 'apigateway.amazonaws.com');
    const [{ Properties }, ...others] = callers as [Resource];
    expect(others).toEqual([]);
    expect(Properties).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'events.amazonaws.com' });
    expect(dev.at(Properties['FunctionName'])).toBe(reconciler);
    expect(dev.resources[idOf(Properties['SourceArn'])]).toBe(rule);
  });
});
