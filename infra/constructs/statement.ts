import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** One statement with the distinct actions on one kind of resource; none if there are no actions. */
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
