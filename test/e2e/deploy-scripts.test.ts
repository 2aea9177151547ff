import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';

// Stubs replace the AWS CLI, npm and npx: they record their arguments and print what the test defines.

let directory: string;
let PATH: string;

const CALLS = () => join(directory, 'calls');
const writeStub = (name: string, lines: string) => writeFile(join(directory, name), `#!/bin/sh\n${lines}\n`);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'deploy-scripts-'));
  PATH = [directory, process.env['PATH']].join(delimiter);
  for (const program of ['aws', 'npx']) {
    await writeStub(program, '');
    await chmod(join(directory, program), 0o755);
  }
});
beforeEach(() => writeFile(CALLS(), ''));
afterAll(() => rm(directory, { recursive: true }));

const run = async (program: string, args: readonly string[], environment: Record<string, string> = {}) => {
  try {
    const env = { ...process.env, PATH, ...environment };
    const { stdout } = await promisify(execFile)(program, args, { cwd: ROOT, env });
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string };
    return { code, stdout };
  }
};
const calls = async () => (await readFile(CALLS(), 'utf8')).trim().split('\n');

describe('.ci/running', () => {
  test('a stack with the output Commit: prints that commit', async () => {
    await writeStub('aws', `echo "$@" >> ${CALLS()}; echo 0123abc`);
    expect(await run('.ci/running', ['prod'])).toEqual({ code: 0, stdout: 'commit=0123abc\n' });
    expect(await calls()).toEqual([
      "cloudformation describe-stacks --stack-name invoicing-prod --output text --query Stacks[0].Outputs[?OutputKey=='Commit'].OutputValue",
    ]);
  });

  test.each([
    [
      'no stack: prints an empty commit',
      'echo "Stack with id invoicing-prod does not exist" >&2; exit 254',
      0,
      'commit=\n',
    ],
    ['a stack without the output Commit: prints an empty commit', 'echo ""', 0, 'commit=\n'],
    ['another error of the AWS CLI: fails', 'echo "AccessDenied" >&2; exit 254', 1, ''],
  ])('%s', async (_, lines, code, stdout) => {
    await writeStub('aws', lines);
    expect(await run('.ci/running', ['prod'])).toEqual({ code, stdout });
  });
});

test('.ci/deploy: runs cdk deploy with the stage, its context and the commit', async () => {
  await writeStub('npx', `printf '%s\\n' "$@" > ${CALLS()}`);
  const { stdout: head } = await run('git', ['rev-parse', 'HEAD']);
  await run('.ci/deploy', ['prod'], { CONTEXT: '-c issuer=https://id.test/ -c corsOrigins=*' });
  expect(await calls()).toEqual([
    ...['cdk', 'deploy', '--require-approval', 'never', '--progress', 'events', '--outputs-file', 'cdk.out.json'],
    ...['-c', 'stage=prod', '-c', `commit=${head.trim()}`],
    ...['-c', 'issuer=https://id.test/', '-c', 'corsOrigins=*'],
  ]);
});

test('.ci/rollback: deploys the earlier commit with that commit’s own script', async () => {
  const repository = join(directory, 'repository');
  const git = (...args: readonly string[]) =>
    run('git', ['-C', repository, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args]);
  await mkdir(join(repository, '.ci'), { recursive: true });
  await git('init', '--quiet');
  await cp(join(ROOT, '.ci', 'rollback'), join(repository, '.ci', 'rollback'));
  for (const version of ['old', 'new']) {
    await writeFile(join(repository, '.ci', 'deploy'), `#!/bin/sh\necho ${version} "$@" >> ${CALLS()}`, {
      mode: 0o755,
    });
    await git('add', '--all');
    await git('commit', '--quiet', '--message', version);
  }
  const { stdout: old } = await git('rev-parse', 'HEAD~1');
  await writeStub('npm', `echo npm "$@" >> ${CALLS()}`);
  await chmod(join(directory, 'npm'), 0o755);
  expect((await run(join(repository, '.ci', 'rollback'), ['prod', old.trim()])).code).toBe(0);
  expect(await calls()).toEqual(['npm ci', 'old prod']);
});

describe('.ci/acceptance', () => {
  const accept = async (stage: string, environment: Record<string, string> = {}) => {
    const checkout = await mkdtemp(join(directory, 'acceptance-'));
    await mkdir(join(checkout, '.ci'));
    await cp(join(ROOT, '.ci', 'acceptance'), join(checkout, '.ci', 'acceptance'));
    const outputs = { [`invoicing-${stage}`]: { Address: 'https://api.test' } };
    await writeFile(join(checkout, 'cdk.out.json'), JSON.stringify(outputs));
    await writeStub('npm', `printf '%s\\n' "$@" > ${CALLS()}`);
    await chmod(join(directory, 'npm'), 0o755);
    const variables = { TOKEN_URL: '', GITHUB_STEP_SUMMARY: 'summary.md', ...environment };
    const { code, stdout } = await run(join(checkout, '.ci', 'acceptance'), [stage], variables);
    expect([code, stdout]).toEqual([0, '']);
    return calls();
  };
  const expected = (stage: string, ...tokens: readonly string[]) => [
    ...['run', '--silent', 'acceptance', '--', '--url', 'https://api.test'],
    ...tokens,
    ...['--junit', `reports/acceptance-${stage}.xml`, '--summary', 'summary.md'],
  ];

  test('stage dev: tokens of the machine that deployed it', async () => {
    expect(await accept('dev')).toEqual(expected('dev'));
  });

  test.each(['dev', 'prod'])('stage %s with another issuer: tokens of its clients', async (stage) => {
    const tokens = ['--token-command', 'node test/acceptance/client-token.ts', '--accounts', 'own,other'];
    expect(await accept(stage, { TOKEN_URL: 'https://id.test/token' })).toEqual(expected(stage, ...tokens));
  });

  test('stage prod without a client: only the checks that need no token', async () => {
    expect(await accept('prod')).toEqual(expected('prod', '--without-tokens'));
  });
});

describe('npm run watch:alarms', () => {
  /** Stubs a stack that was updated at noon; the alarms in `on` are in state ALARM from the second poll. */
  const stubStack = (
    alarms: readonly string[],
    on: readonly { name: string; since: string }[],
    { updated = '2026-11-21T12:00:00Z', before = 'OK' } = {},
  ) =>
    writeStub(
      'aws',
      `case "$*" in
        *describe-stacks*) echo '["${updated}", "2026-01-01T00:00:00Z"]' ;;
        *list-stack-resources*) echo '${JSON.stringify(alarms)}' ;;
        *describe-alarm-history*) echo '${JSON.stringify(JSON.stringify({ oldState: { stateValue: before } }))}' ;;
        *describe-alarms*)
          echo "$@" >> ${CALLS()}
          if [ "$(wc -l < ${CALLS()})" -gt 1 ]; then echo '${JSON.stringify(on)}'; else echo '[]'; fi ;;
      esac`,
    );
  const watch = (...args: readonly string[]) => run(process.execPath, ['infra/scripts/watch-alarms.ts', ...args]);

  test('an alarm of the stack goes off: fails at once', async () => {
    await stubStack(['one', 'other'], [{ name: 'one', since: '2026-11-21T12:03:00Z' }]);
    const { code, stdout } = await watch('invoicing-prod', '0.01');
    expect([code, stdout]).toEqual([
      1,
      'Watching 2 alarms of invoicing-prod for 0.01 minutes.\nAlarm one went off at 2026-11-21T12:03:00Z.\n',
    ]);
    const sent = await calls();
    expect(sent).toHaveLength(2);
    expect(sent[0]).toContain('--state-value ALARM --alarm-names one other');
  });

  test('no alarm goes off: polls until the time is over, and passes', async () => {
    await stubStack(['one'], []);
    const { code, stdout } = await watch('invoicing-prod', '0.001');
    expect([code, stdout]).toEqual([0, 'Watching 1 alarms of invoicing-prod for 0.001 minutes.\nNo alarm went off.\n']);
    expect(await calls()).toHaveLength(31);
  });

  test('an alarm that was on before the deployment: ignored', async () => {
    await stubStack(['one'], [{ name: 'one', since: '2026-11-21T11:59:59Z' }]);
    expect((await watch('invoicing-prod', '0.001')).code).toBe(0);
  });

  test.each([
    ['INSUFFICIENT_DATA, 9 minutes after the deployment: ignored', 9, 'INSUFFICIENT_DATA', 0],
    ['INSUFFICIENT_DATA, 11 minutes after the deployment: fails', 11, 'INSUFFICIENT_DATA', 1],
    ['OK, 9 minutes after the deployment: fails', 9, 'OK', 1],
  ])('an alarm goes off from %s', async (_, minutes, before, code) => {
    const updated = new Date(Date.now() - minutes * 60_000).toISOString();
    await stubStack(['one'], [{ name: 'one', since: new Date().toISOString() }], { updated, before });
    expect((await watch('invoicing-prod', '0.001')).code).toBe(code);
  });

  test('a stack without alarms: fails', async () => {
    await stubStack([], []);
    const { code, stdout } = await watch('invoicing-prod', '1');
    expect([code, stdout]).toEqual([1, 'The stack invoicing-prod has no alarms.\n']);
  });

  test.each([[[]], [['invoicing-prod']], [['invoicing-prod', 'soon']]])(
    'arguments %j, which are not a stack and minutes: exit code 2',
    async (args) => {
      expect((await watch(...args)).code).toBe(2);
    },
  );
});

describe('npm run audit -- --stage', () => {
  const audit = () => run(process.execPath, ['infra/scripts/audit.ts', '--stage', 'prod'], { AWS_REGION: '' });

  test('a stack without the tables: exit code 2', async () => {
    const stack = 'arn:aws:cloudformation:eu-central-1:123456789012:stack/invoicing-prod/1';
    await writeStub(
      'aws',
      `echo "$@" >> ${CALLS()}; case "$*" in *StackId*) echo '"${stack}"' ;; *) echo '[]' ;; esac`,
    );
    expect((await audit()).code).toBe(2);
    expect((await calls()).sort()).toEqual([
      expect.stringContaining('cloudformation describe-stacks --stack-name invoicing-prod --query Stacks[0].StackId'),
      expect.stringContaining('cloudformation list-stack-resources --stack-name invoicing-prod'),
    ]);
  });

  test('an error of the AWS CLI: exit code 2', async () => {
    await writeStub('aws', 'echo "AccessDenied" >&2; exit 254');
    expect((await audit()).code).toBe(2);
  });
});
