import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction, Function as Lambda } from 'aws-cdk-lib/aws-lambda';

/** The statement by which a Lambda sends X-Ray what it records. */
export const tracing = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

const REASON = 'X-Ray has no resources: AWS takes these two actions on * only. They write samples, and read nothing.';

/**
 * Switches active tracing on. Not by the function's own property: CDK would answer that with a policy beside the
 * role's own, a resource more for each function.
 * @param role that holds {@link tracing}
 */
export const trace = (lambda: Lambda, role: Role): void => {
  (lambda.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
  for (const id of ['AwsSolutions-IAM5[Resource::*]', 'Serverless-LambdaStarPermissions']) {
    Validations.of(role).acknowledge({ id, reason: REASON });
  }
};
