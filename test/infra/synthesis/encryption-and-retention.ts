import { describe, expect, test } from '@jest/globals';
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
