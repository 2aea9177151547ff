import { Aws, CfnOutput, Fn } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { namespaceOf } from '#infra/monitoring/metrics.ts';
import type { Settings } from '#infra/settings/settings.ts';

const tokenFor = ({ trustsLocalIssuer }: Settings): string =>
  trustsLocalIssuer ? '$(npm run --silent token -- --account acct_1 --sub user_1 --role admin)' : '$TOKEN';

const CONSOLE = `https://console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}`;

interface Described {
  readonly api: CfnApi;
  readonly logs: LogGroup;
  readonly topic: Topic;
}

export const createOutputs = (scope: Construct, { api, logs, topic }: Described, settings: Settings): void => {
  const { attrApiEndpoint: address } = api;
  const dashboard = `${CONSOLE}#dashboards/dashboard/${namespaceOf(settings)}`;
  const curl = Fn.join('', ['curl ', address, `/v1/invoices -H "Authorization: Bearer ${tokenFor(settings)}"`]);
  new CfnOutput(scope, 'Address', { value: address, description: 'URL of the API' });
  new CfnOutput(scope, 'Docs', { value: Fn.join('', [address, '/docs']), description: 'URL of the API documentation' });
  new CfnOutput(scope, 'Curl', { value: curl, description: 'Example request with curl' });
  new CfnOutput(scope, 'Logs', { value: logs.logGroupName, description: 'Log group of the functions' });
  new CfnOutput(scope, 'Dashboard', { value: dashboard, description: 'URL of the dashboard' });
  new CfnOutput(scope, 'AlarmTopic', { value: topic.topicArn, description: 'Topic of the alarms' });
  if (settings.commit) new CfnOutput(scope, 'Commit', { value: settings.commit, description: 'Deployed commit' });
};
