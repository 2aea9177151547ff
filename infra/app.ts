import { resolve } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { buildForAws, ROOT } from './build/bundle.ts';
import { SettingError } from './settings/context.ts';
import { settingsOf } from './settings/settings.ts';
import { InvoicingStack, packs } from './stack.ts';

const app = new App();
try {
  const settings = settingsOf((key) => app.node.tryGetContext(key), Object.keys(app.node.getAllContext()));
  // `build` of cdk.json would run before the settings are checked.
  await buildForAws(settings.architecture === Architecture.ARM_64 ? 'arm64' : 'x64');
  new InvoicingStack(app, settings, resolve(ROOT, 'dist'));
  Validations.of(app).addPlugins(...packs.map((Pack) => new Pack(app)));
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  // Exits at once: otherwise CDK would write an empty assembly.
  process.exit(1);
}
// The cdk command sets the variable if it finds credentials. Its own error names no document.
if (!process.env['CDK_DEFAULT_ACCOUNT']) {
  console.error('No AWS credentials: cdk can synthesize, but not deploy. docs/deploy.md says what a deployment needs.');
}
