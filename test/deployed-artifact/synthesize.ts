import { join } from 'node:path';
import { type CfnElement, Stack } from 'aws-cdk-lib';
import { bundle } from '#infra/build/bundle.ts';
import { type Resource, synthesize as synthesizeStage } from '#test/infra/synthesis/deployment.ts';

/** The template and the code that `cdk deploy` would upload, in a directory outside of the repository. */
export interface SynthesizedStack {
  /** The resources, by logical id. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The logical id of a construct, by its name; the function of an endpoint has the name of its bundle. */
  idOf(construct: string): string;
  /** The directory that a function's code is deployed from. */
  codeOf(lambda: Resource): string;
}

/**
 * Builds the bundles and synthesizes a stage, which copies them.
 * @param directory an empty directory outside of the repository
 */
export const synthesize = async (directory: string, context: Record<string, string>): Promise<SynthesizedStack> => {
  const bundles = join(directory, 'dist');
  await bundle(bundles);
  const { stack, codeOf, Resources: resources } = synthesizeStage(directory, bundles, context);
  return {
    resources,
    codeOf,
    idOf: (name) => {
      const construct = stack.node.findAll().find(({ node }) => node.id === name);
      if (!construct) throw new Error(`The stack has no construct ${name}.`);
      return Stack.of(construct).getLogicalId(construct.node.defaultChild as CfnElement);
    },
  };
};
