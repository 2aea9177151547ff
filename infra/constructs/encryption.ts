import { Stack } from 'aws-cdk-lib';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

const USE = ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'];

/**
 * Lets principals that may use the data of these services in this account use the key, but only through these services.
 * The policies of AWS's managed keys do the same. So no role needs a grant on the key.
 */
const allowThroughServices = (scope: Construct): PolicyStatement => {
  const { account, region } = Stack.of(scope);
  const services = ['dynamodb', 'sqs', 's3'].map((service) => `${service}.${region}.amazonaws.com`);
  return new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: [...USE, 'kms:CreateGrant'],
    resources: ['*'],
    conditions: { StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': services } },
  });
};

/** CloudWatch publishes to an encrypted topic only if it may use the topic's key. */
const allowCloudWatch = (scope: Construct): PolicyStatement =>
  new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
    resources: ['*'],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });

export const createKey = (scope: Construct, { customerKey, stage, removalPolicy }: Settings): Key | undefined => {
  if (!customerKey) return undefined;
  const description = `Encrypts the data of the invoicing service, stage ${stage}`;
  const key = new Key(scope, 'key', { description, enableKeyRotation: true, removalPolicy });
  key.addToResourcePolicy(allowThroughServices(scope));
  key.addToResourcePolicy(allowCloudWatch(scope));
  return key;
};
