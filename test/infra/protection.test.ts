import { describe, expect, test } from '@jest/globals';
import { type Any, deploy, PROD, type Resource } from './deployment.ts';

const dev = deploy();
const keyed = deploy({ ...PROD, customerKey: 'true' });

const KEY = 'AWS::KMS::Key';

describe('a key of the stage’s own', () => {
  const [id = ''] = Object.keys(keyed.resources).filter((one) => keyed.resources[one]?.Type === KEY);
  const key = keyed.resources[id] as Resource;
  const arn = { 'Fn::GetAtt': [id, 'Arn'] };

  test('is there only where the context asks for it', () => {
    expect(dev.all(KEY)).toEqual([]);
    expect(keyed.all(KEY)).toHaveLength(1);
  });

  test('encrypts the queues and the files', () => {
    const queues = keyed.all('AWS::SQS::Queue');
    expect(queues.map(({ Properties }) => Properties['KmsMasterKeyId'])).toEqual([arn, arn]);
    const [{ Properties }] = keyed.all('AWS::S3::Bucket') as [Resource];
    const [rule] = Properties['BucketEncryption'].ServerSideEncryptionConfiguration;
    expect(rule.ServerSideEncryptionByDefault).toEqual({ SSEAlgorithm: 'aws:kms', KMSMasterKeyID: arn });
    expect(rule.BucketKeyEnabled).toBe(true);
  });

  test('encrypts every table and the topic, is rotated, and outlives the stack with the data', () => {
    const tables = keyed.all('AWS::DynamoDB::GlobalTable');
    expect(tables.length).toBeGreaterThan(5);
    for (const { Properties } of tables) {
      expect(Properties['SSESpecification']).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      const of = Properties['Replicas'].map(({ SSESpecification }: Any) => SSESpecification.KMSMasterKeyId);
      expect(of).toEqual([arn]);
    }
    for (const { Properties } of keyed.all('AWS::SNS::Topic')) expect(Properties['KmsMasterKeyId']).toEqual(arn);
    expect(key.Properties['EnableKeyRotation']).toBe(true);
    expect([key.DeletionPolicy, key.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  });

  test('is used by whoever may use the data, through its service alone, and by CloudWatch’s alarms', () => {
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

  test('takes no grant of a role', () => {
    expect(JSON.stringify(keyed.all('AWS::IAM::Role'))).not.toContain('kms:');
  });
});

describe('logs', () => {
  test('all forget in time: no group is left to CloudWatch’s default, which is never', () => {
    for (const { all } of [dev, keyed]) {
      const groups = all('AWS::Logs::LogGroup');
      expect(groups.length).toBeGreaterThan(all('AWS::Lambda::Function').length);
      for (const { Properties } of groups) expect(Properties['RetentionInDays']).toBeGreaterThan(0);
    }
  });
});
