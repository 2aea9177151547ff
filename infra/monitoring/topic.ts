import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/** Lets CloudWatch tell of this account's alarms. The default policy would, but one of our own takes its place. */
const fromAlarms = (scope: Construct, topic: Topic): PolicyStatement =>
  new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topic.topicArn],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });

const EMAIL =
  'An e-mail that SNS cannot deliver is retried by the mail system, and the alarm itself stays visible in CloudWatch.';

/**
 * Creates the topic that alarms go to. Without a key of the stage's own it is not encrypted at rest: CloudWatch cannot
 * publish under AWS's key of SNS, and an alarm tells of figures alone.
 */
export const createTopic = (scope: Construct, { alarmEmail }: Settings, key?: IKey): Topic => {
  const topic = new Topic(scope, 'alarms', { enforceSSL: true, ...(key && { masterKey: key }) });
  topic.addToResourcePolicy(fromAlarms(scope, topic));
  if (alarmEmail !== undefined) {
    const told = { topicArn: topic.topicArn, protocol: 'email', endpoint: alarmEmail };
    const subscription = new CfnSubscription(scope, 'alarms-email', told);
    Validations.of(subscription).acknowledge({ id: 'Serverless-SNSRedrivePolicy', reason: EMAIL });
  }
  return topic;
};
