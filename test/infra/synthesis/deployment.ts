import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { ROOT } from '#infra/build/bundle.ts';
import { settingsOf } from '#infra/settings/settings.ts';
import { InvoicingStack } from '#infra/stack.ts';
import { flatTemplate } from '#test/support/documents/flat-template.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any template
export type Any = any;

/** A resource of the templates. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, Any>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

/** The synthesized stack of a stage, with its nested stacks. */
export interface Deployment {
  readonly stack: InvoicingStack;
  /** By logical id. */
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, Any>>;
  /** The resources of the stack, whose name is empty, and of each nested stack, by the logical id of that stack. */
  readonly stacks: ReadonlyMap<string, Readonly<Record<string, Resource>>>;
  /** The Lambda functions, by the file of the endpoint or worker whose bundle each one runs. */
  readonly functions: Readonly<Record<string, Resource>>;
  /** Every resource of a type. */
  all(type: string): Resource[];
  /** The resource that a `Ref` or an `Fn::GetAtt` points to. */
  at(reference: Any): Resource;
}

/** Writes a bundle for each endpoint and worker that contains only its file’s name; returns their directory. */
const writeBundles = (root: string): string => {
  for (const file of Object.keys({ ...endpoints, ...workers })) {
    const bundle = join(root, 'dist', file.replace('/', '-'));
    mkdirSync(bundle, { recursive: true });
    writeFileSync(join(bundle, 'bundle.js'), file);
  }
  return join(root, 'dist');
};

/** Replaces the key set of the local issuer. */
export const KEYS = 'data:application/json,{"keys":[]}';

const { context: flags } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));

/**
 * Synthesizes a stage with the flags of cdk.json.
 * @param root an empty directory, which gets the template and copies of the bundles
 * @param keys replaces the key set of the local issuer
 */
export const synthesize = (root: string, bundles: string, context: Record<string, string>, keys?: () => string) => {
  const outdir = join(root, 'cdk.out');
  const app = new App({
    outdir,
    context: { ...flags, ...context },
    treeMetadata: false,
    builtinCloudFormationValidation: false,
  });
  const settings = settingsOf((key) => app.node.tryGetContext(key), Object.keys(context), keys);
  const stack = new InvoicingStack(app, settings, bundles);
  const codeOf = ({ Properties }: Resource): string =>
    join(outdir, `asset.${Properties['Code'].S3Key.replace('.zip', '')}`);
  return { stack, codeOf, ...flatTemplate(stack) };
};

/** Synthesizes a stage as `cdk synth` does, but without a build. */
export const deploy = (context: Record<string, string> = {}): Deployment => {
  const root = mkdtempSync(join(tmpdir(), 'infra-'));
  try {
    const synthesized = synthesize(root, writeBundles(root), context, () => KEYS);
    const { stack, codeOf, Resources: resources, Outputs: outputs, stacks } = synthesized;
    const all = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
    const functions = Object.fromEntries(
      all('AWS::Lambda::Function').map((lambda) => [readFileSync(join(codeOf(lambda), 'bundle.js'), 'utf8'), lambda]),
    );
    const at = (reference: Any) => resources[reference.Ref ?? reference['Fn::GetAtt'][0]] as Resource;
    return { stack, resources, outputs, stacks, functions, all, at };
  } finally {
    rmSync(root, { recursive: true });
  }
};
