import { Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';

/** The secret that CloudFront sends to the gateway, and those that the functions accept, if they require one. */
export interface EdgeSecrets {
  readonly sent: string;
  readonly accepted: readonly string[];
}

const NO_ROTATION =
  'A rotation would change neither CloudFront nor the functions, which get the value when they are deployed. ' +
  'The setting edgeSecret replaces the secret.';

/**
 * Creates the secret with the number of the setting, and the one before it: the functions accept both, so a deployment
 * that replaces the secret refuses no request. CloudFormation inserts the values, and the template has only their names.
 */
export const createEdgeSecrets = (scope: Construct, { stage, edge, edgeSecret }: Settings): EdgeSecrets | undefined => {
  if (!edge) return undefined;
  const [sent = '', ...others] = [edgeSecret, edgeSecret - 1].map((number) => {
    const description = `Sent by CloudFront to the invoicing service, stage ${stage}`;
    const generateSecretString = { passwordLength: 64, excludePunctuation: true };
    const secret = new Secret(scope, `edge-secret-${number}`, { description, generateSecretString });
    Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason: NO_ROTATION });
    return secret.secretValue.unsafeUnwrap();
  });
  return { sent, accepted: [sent, ...others] };
};
