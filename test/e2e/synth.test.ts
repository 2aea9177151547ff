import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { checkout } from '#test/local/checkout.ts';

const runNode = async (cwd: string, args: readonly string[], variables: NodeJS.ProcessEnv) => {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
};

test('cdk synth with an unknown setting: names it before it builds the bundles [CONTRACT §12]', async () => {
  const { code, err } = await runNode(ROOT, ['node_modules/aws-cdk/bin/cdk', 'synth', '-c', 'foo=bar'], {});
  expect(code).toBe(1);
  expect(err).toMatch(
    /^-c foo is not a setting\. Use one of: [^\n]*\n(node infra\/app\.ts: Subprocess exited with error 1\n?)?$/,
  );
});

test('no AWS credentials: the template is written; lines say whether there are code caches, and name the guide to a deployment', async () => {
  const copy = await checkout();
  const { code, err } = await runNode(copy.root, ['infra/app.ts'], {
    CDK_DEFAULT_ACCOUNT: '',
    CDK_OUTDIR: `${copy.root}/out`,
  });
  await copy.remove();
  expect(code).toBe(0);
  const caches =
    process.arch === 'arm64' ? 'Code caches of Node v24.* arm64 in' : 'No code caches: the functions run on arm64';
  expect(err).toMatch(
    new RegExp(
      `^Building \\d+ bundles …\nBuilt in [\\d.]+ s: dist/\n${caches}.*\nNo AWS credentials: .*docs/deploy\\.md.*\n`,
    ),
  );
});
