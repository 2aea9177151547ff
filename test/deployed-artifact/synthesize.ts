import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import { bundle, ROOT } from '#infra/build/bundle.ts';
import { settingsOf } from '#infra/settings/settings.ts';
import { InvoicingStack } from '#infra/stack.ts';
import { flatTemplate } from '#test/support/documents/flat-template.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template holds any JSON
type Any = any;

/** A resource of the template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, Any>>;
}

/** The template and the code that `cdk deploy` would upload, in a directory outside of the repository. */
export interface SynthesizedStack {
  /** The resources, by logical id. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The logical id of a construct, by its name; the function of an endpoint has the name of its bundle. */
  idOf(construct: string): string;
  /** The directory that a function's code is deployed from. */
  codeOf(lambda: Resource): string;
}

const { context: flags } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));

/**
 * Builds the bundles and synthesizes a stage, which copies them.
 * @param directory an empty directory outside of the repository
 */
export const synthesize = async (directory: string, context: Record<string, string>): Promise<SynthesizedStack> => {
  const bundles = join(directory, 'dist');
  await bundle(bundles);
  const outdir = join(directory, 'cdk.out');
  const app = new App({ outdir, context: { ...flags, ...context }, builtinCloudFormationValidation: false });
  const stack: Stack = new InvoicingStack(
    app,
    settingsOf((key) => app.node.tryGetContext(key)),
    bundles,
  );
  const { Resources: resources } = flatTemplate(stack);
  return {
    resources,
    idOf: (name) => {
      const construct = stack.node.findAll().find(({ node }) => node.id === name);
      if (!construct) throw new Error(`The stack has no construct ${name}.`);
      return Stack.of(construct).getLogicalId(construct.node.defaultChild as CfnElement);
    },
    codeOf: ({ Properties: { Code } }) => join(outdir, `asset.${Code.S3Key.replace('.zip', '')}`),
  };
};
