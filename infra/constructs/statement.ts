import { type CfnElement, Names } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** One statement with the distinct actions on one kind of resource; no statement without actions. */
export const allow = <K extends string>(
  prefix: string,
  needed: readonly { readonly [on in K]?: readonly string[] }[],
  on: K,
  resources: string[],
): PolicyStatement[] => {
  const actions = new Set(needed.flatMap((each) => each[on] ?? []));
  if (actions.size === 0 || resources.length === 0) return [];
  return [new PolicyStatement({ actions: [...actions].map((action) => `${prefix}:${action}`), resources })];
};

/** The id of cdk-nag's finding about a wildcard after the ARN of a resource of the root stack, in a nested stack. */
export const wildcardFinding = (target: CfnElement, wildcard: string): string =>
  `AwsSolutions-IAM5[Resource::<referenceto${Names.nodeUniqueId(target.node)}Arn>${wildcard}]`;
