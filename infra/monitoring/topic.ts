import { Annotations, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/**
 * Lets CloudWatch publish this account's alarms. A topic policy of our own replaces the default policy, which allows
 * that.
 */
const allowCloudWatch = (scope: Construct, topic: Topic): PolicyStatement =>
  new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions: ['sns:Publish'],
    resources: [topic.topicArn],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  });

const NO_REDRIVE_POLICY =
  'The mail system retries an e-mail that SNS cannot deliver, and the alarm stays visible in CloudWatch.';

const NO_EMAIL =
  'Nobody gets the alarms of this stage: set -c alarmEmail, or subscribe to the topic (output AlarmTopic).';
const NO_RUNBOOK =
  'The alarms link to docs/runbook.md, which is no URL: set -c runbook to where your operators read it.';

/** Only a stage that keeps its data has operators. */
const warn = (scope: Construct, { keepsData, alarmEmail, runbook }: Settings): void => {
  if (!keepsData) return;
  const annotations = Annotations.of(scope);
  if (alarmEmail === undefined) annotations.addWarningV2('invoicing:alarmEmail', NO_EMAIL);
  if (!URL.canParse(runbook)) annotations.addWarningV2('invoicing:runbook', NO_RUNBOOK);
};

/**
 * Creates the topic of the alarms. Without the stage's own key it is not encrypted at rest: CloudWatch cannot publish
 * with AWS's key for SNS, and an alarm contains only metrics.
 */
export const createTopic = (scope: Construct, settings: Settings, key?: IKey): Topic => {
  const { alarmEmail } = settings;
  warn(scope, settings);
  const topic = new Topic(scope, 'alarms', { enforceSSL: true, ...(key && { masterKey: key }) });
  topic.addToResourcePolicy(allowCloudWatch(scope, topic));
  if (alarmEmail !== undefined) {
    const subscription = new CfnSubscription(scope, 'alarms-email', {
      topicArn: topic.topicArn,
      protocol: 'email',
      endpoint: alarmEmail,
    });
    Validations.of(subscription).acknowledge({ id: 'Serverless-SNSRedrivePolicy', reason: NO_REDRIVE_POLICY });
  }
  return topic;
};
