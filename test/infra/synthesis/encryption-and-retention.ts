import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import type { Any, Resource } from './deployment.ts';
import { dev, prod } from './stages.ts';

const KEY = 'AWS::KMS::Key';

describe('the KMS key of a stage', () => {
  const [id = ''] = Object.keys(prod.resources).filter((one) => prod.resources[one]?.Type === KEY);
  const key = prod.resources[id] as Resource;
  const arn = { 'Fn::GetAtt': [id, 'Arn'] };

  test('customerKey in the context: the stage has one key; without it no key', () => {
    expect(dev.all(KEY)).toEqual([]);
    expect(prod.all(KEY)).toHaveLength(1);
  });

  test('the queues and the bucket: encrypted with the key', () => {
    const queues = prod.all('AWS::SQS::Queue');
    expect(queues.map(({ Properties }) => Properties['KmsMasterKeyId'])).toEqual([arn, arn, arn, arn]);
    const [{ Properties }] = prod.all('AWS::S3::Bucket') as [Resource];
    const [rule] = Properties['BucketEncryption'].ServerSideEncryptionConfiguration;
    expect(rule.ServerSideEncryptionByDefault).toEqual({ SSEAlgorithm: 'aws:kms', KMSMasterKeyID: arn });
    expect(rule.BucketKeyEnabled).toBe(true);
  });

  test('every table and the topic: encrypted with the key, which rotates and is retained with the data', () => {
    const tables = prod.all('AWS::DynamoDB::GlobalTable');
    expect(tables.length).toBeGreaterThan(5);
    for (const { Properties } of tables) {
      expect(Properties['SSESpecification']).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      const of = Properties['Replicas'].map(({ SSESpecification }: Any) => SSESpecification.KMSMasterKeyId);
      expect(of).toEqual([arn]);
    }
    for (const { Properties } of prod.all('AWS::SNS::Topic')) expect(Properties['KmsMasterKeyId']).toEqual(arn);
    expect(key.Properties['EnableKeyRotation']).toBe(true);
    expect([key.DeletionPolicy, key.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  });

  test('the key policy: use only through DynamoDB, SQS and S3 in this account, and by CloudWatch alarms', () => {
    const account = { Ref: 'AWS::AccountId' };
    const [root, services, alarms, ...more] = key.Properties['KeyPolicy'].Statement;
    expect(more).toEqual([]);
    expect(root.Principal.AWS['Fn::Join'][1].at(-1)).toBe(':root');
    expect(services.Condition.StringEquals['kms:CallerAccount']).toEqual(account);
    const via = services.Condition.StringEquals['kms:ViaService'].map((one: Any) => one['Fn::Join'][1][0]);
    expect(via).toEqual(['dynamodb.', 'sqs.', 's3.']);
    expect(alarms).toMatchObject({
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': account } },
    });
  });

  test('every role: has no permission on the key', () => {
    expect(JSON.stringify(prod.all('AWS::IAM::Role'))).not.toContain('kms:');
  });
});

describe('docs/runbook.md: states where data remains after an erasure, and for how long the template keeps it', () => {
  const [, table = ''] = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').split('**Not erased**');
  const until = (what: string): string | undefined =>
    table
      .split('\n')
      .map((line) => line.split(' | '))
      .find(([first = '']) => first.startsWith(`| ${what}`))?.[2];
  const DAY_S = 86_400;
  /** What AWS uses without a property. */
  const [DEFAULT_QUEUE_DAYS, DEFAULT_RECOVERY_DAYS] = [4, 35];

  test('logs: the days of prod and dev; the access log has the IP address of the caller', () => {
    const days = ({ all }: typeof dev) =>
      [...new Set(all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['RetentionInDays']))].join();
    for (const what of ['the gateway', 'log of the functions'])
      expect(until(what)).toBe(`prod ${days(prod)} days, dev ${days(dev)} |`);
    const [{ Properties }] = dev.all('AWS::ApiGatewayV2::Stage') as [Resource];
    expect(Object.values(JSON.parse(Properties['AccessLogSettings'].Format))).toContain('$context.identity.sourceIp');
    expect(table).toContain('the IP address of the caller');
  });

  test('messages in queues and dead-letter queues: their retention periods', () => {
    const queues = prod.all('AWS::SQS::Queue').map(({ Properties }) => ({
      isDeadLetter: Properties['RedrivePolicy'] === undefined,
      days: (Properties['MessageRetentionPeriod'] ?? DEFAULT_QUEUE_DAYS * DAY_S) / DAY_S,
    }));
    for (const { isDeadLetter, days } of queues)
      expect(until(isDeadLetter ? 'messages in dead-letter queues' : 'messages in queues')).toBe(`${days} days |`);
  });

  test('backups: of prod only, for the days of point-in-time recovery', () => {
    const recoveryOf = ({ all }: typeof dev) =>
      all('AWS::DynamoDB::GlobalTable').map(
        ({ Properties }) => Properties['Replicas'][0].PointInTimeRecoverySpecification,
      );
    for (const one of recoveryOf(dev)) expect(one?.PointInTimeRecoveryEnabled ?? false).toBe(false);
    for (const { PointInTimeRecoveryEnabled, RecoveryPeriodInDays = DEFAULT_RECOVERY_DAYS } of recoveryOf(prod)) {
      expect(PointInTimeRecoveryEnabled).toBe(true);
      expect(until('point-in-time backups, only in prod')).toContain(`${RecoveryPeriodInDays} days;`);
    }
  });

  test('the edge and the bucket: write no log', () => {
    for (const { Properties } of prod.all('AWS::CloudFront::Distribution'))
      expect(Properties['DistributionConfig']).not.toHaveProperty('Logging');
    for (const { Properties } of prod.all('AWS::S3::Bucket'))
      expect(Properties).not.toHaveProperty('LoggingConfiguration');
  });
});
