import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction, Function as Lambda } from 'aws-cdk-lib/aws-lambda';

export const traceStatement = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

const REASON = 'X-Ray has no resources: AWS accepts these two actions only on *. They write samples and read nothing.';

/**
 * Enables active tracing. CDK's own property would add a separate policy, one more resource for each function. The role
 * must have {@link traceStatement}.
 */
export const enableTracing = (lambda: Lambda, role: Role): void => {
  (lambda.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
  for (const id of ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions']) {
    Validations.of(role).acknowledge({ id, reason: REASON });
  }
};
