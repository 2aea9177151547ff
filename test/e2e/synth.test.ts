import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';

const run = async (context: object) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const child = spawn(process.execPath, ['infra/app.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const [code, out, err] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { code, out, err };
};

test('an invalid context: one line on standard error, and exit code 1 [CONTRACT §12]', async () => {
  const [prod, qa, unknown] = await Promise.all([run({ stage: 'prod' }), run({ stage: 'qa' }), run({ sage: 'dev' })]);
  const message = 'Stage prod requires -c issuer, -c audience, -c jwksUrl (see docs/deploy.md).\n';
  expect(prod).toEqual({ code: 1, out: '', err: message });
  expect(unknown).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(/^-c sage is not a setting\. Use one of: .*\n$/),
  });
  expect(qa).toEqual({ code: 1, out: '', err: '-c stage must be one of dev, prod, not "qa".\n' });
});
