import { CfnOutput, Fn } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

const tokenFor = ({ trustsLocalIssuer }: Settings): string =>
  trustsLocalIssuer ? '$(npm run --silent token -- --account acct_1 --sub user_1 --role admin)' : '$TOKEN';

export const createOutputs = (
  scope: Construct,
  { attrApiEndpoint: address }: CfnApi,
  { logGroupName }: LogGroup,
  settings: Settings,
): void => {
  const curl = Fn.join('', ['curl ', address, `/v1/invoices -H "Authorization: Bearer ${tokenFor(settings)}"`]);
  new CfnOutput(scope, 'Address', { value: address, description: 'URL of the API' });
  new CfnOutput(scope, 'Docs', { value: Fn.join('', [address, '/docs']), description: 'URL of the API documentation' });
  new CfnOutput(scope, 'Curl', { value: curl, description: 'Example request with curl' });
  new CfnOutput(scope, 'Logs', { value: logGroupName, description: 'Log group of the functions' });
  if (settings.commit) new CfnOutput(scope, 'Commit', { value: settings.commit, description: 'Deployed commit' });
};
