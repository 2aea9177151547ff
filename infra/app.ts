import { resolve } from 'node:path';
import { App, CfnOutput, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ROOT } from './bundle.ts';
import { InvoicingStack } from './stack.ts';
import { SettingError, settingsOf } from './stage.ts';

const app = new App();
try {
  const settings = settingsOf((key) => app.node.tryGetContext(key));
  const stack = new InvoicingStack(app, settings, resolve(ROOT, 'dist'));
  // The pipeline's way back (docs/pipeline.md).
  const commit = app.node.tryGetContext('commit');
  if (commit) new CfnOutput(stack, 'Commit', { value: commit, description: 'What is deployed' });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  // At once, or CDK would go on to write an empty assembly.
  process.exit(1);
}
