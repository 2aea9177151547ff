import { Stack } from 'aws-cdk-lib';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

const USE = ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'];

/**
 * Whoever may use the data of these services in this account may use the key through them, and not otherwise. So say
 * AWS's own policies of the keys that it manages for them, too, and no role needs a grant on the key.
 */
const throughServices = (scope: Construct): PolicyStatement => {
  const { account, region } = Stack.of(scope);
  const services = ['dynamodb', 'sqs', 's3'].map((service) => `${service}.${region}.amazonaws.com`);
  return new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: [...USE, 'kms:CreateGrant'],
    resources: ['*'],
    conditions: { StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': services } },
  });
};

/** An alarm reaches an encrypted topic only if CloudWatch may use the topic's key. */
const byCloudWatch = (scope: Construct): PolicyStatement =>
  new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    resources: ['*'],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });

/** Creates the key of a stage that wants one of its own: rotated each year, and kept as long as the data. */
export const createKey = (scope: Construct, { customerKey, stage, removalPolicy }: Settings): Key | undefined => {
  if (!customerKey) return undefined;
  const description = `Data of the invoicing service, stage ${stage}`;
  const key = new Key(scope, 'key', { description, enableKeyRotation: true, removalPolicy });
  key.addToResourcePolicy(throughServices(scope));
  key.addToResourcePolicy(byCloudWatch(scope));
  return key;
};
