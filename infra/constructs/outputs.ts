import { CfnOutput, Fn } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/** A token that whoever deploys has at hand: this machine's issuer makes one, or another one's stands for itself. */
const tokenFor = ({ trustsLocalIssuer }: Settings): string =>
  trustsLocalIssuer ? '$(npm run --silent token -- --account acct_1 --sub user_1 --role admin)' : '$TOKEN';

/** Tells where the API and its documentation are, and a first request, ready to paste. */
export const createOutputs = (scope: Construct, { attrApiEndpoint: address }: CfnApi, settings: Settings): void => {
  const curl = Fn.join('', ['curl ', address, `/v1/invoices -H "Authorization: Bearer ${tokenFor(settings)}"`]);
  new CfnOutput(scope, 'Address', { value: address, description: 'Where the API answers' });
  new CfnOutput(scope, 'Docs', { value: Fn.join('', [address, '/docs']), description: 'Its documentation' });
  new CfnOutput(scope, 'Curl', { value: curl, description: 'A first request' });
  if (settings.commit) new CfnOutput(scope, 'Commit', { value: settings.commit, description: 'What is deployed' });
};
