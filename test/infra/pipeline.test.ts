import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '#infra/build/bundle.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly shell?: string;
  readonly if?: string;
}
interface Job {
  readonly 'runs-on': string;
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly defaults?: { readonly run?: { readonly shell?: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = join(ROOT, '.github', 'workflows');
const texts = readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')] as const);
const workflows: readonly (readonly [string, Workflow])[] = texts.map(([file, text]) => [file, parse(text)]);
const jobs = workflows.flatMap(([file, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => [`${file} ${name}`, job] as const),
);
const steps = jobs.flatMap(([name, job]) => job.steps.map((step) => [name, step, job] as const));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('the workflows: check.yml runs on pull requests, deploy.yml on pushes to main, nightly.yml each night', () => {
  expect(Object.fromEntries(workflows.map(([file, { on }]) => [file, on]))).toEqual({
    'check.yml': { pull_request: null },
    'deploy.yml': { push: { branches: ['main'] } },
    'nightly.yml': { schedule: [{ cron: expect.any(String) }], workflow_dispatch: null },
  });
});

describe('the actions', () => {
  const lines = texts.flatMap(([, text]) => text.split('\n').filter((line) => line.includes('uses:')));

  test('every action: pinned by a commit SHA, with its version in a comment', () => {
    expect(lines.length).toBe(steps.filter(([, { uses }]) => uses).length);
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('an action used several times: the same commit everywhere', () => {
    const pins = Map.groupBy(
      new Set(lines.map((line) => line.trim().replace(/^- /, ''))),
      (line) => line.split('@')[0],
    );
    for (const [, versions] of pins) expect(versions).toHaveLength(1);
  });
});

test.each(jobs)('job %s: builds for AWS on the processor of the functions, arm64', (_, { environment, ...job }) => {
  expect(job['runs-on']).toBe(environment ? 'ubuntu-24.04-arm' : 'ubuntu-24.04');
});

describe('the permissions', () => {
  test.each(workflows)('workflow %s: declares no permissions, so that each job declares them', (_, { permissions }) => {
    expect(permissions).toEqual({});
  });

  test.each(jobs)(
    'job %s: may read the code, and assumes a role only in an environment',
    (_, { permissions, environment, steps }) => {
      const takesRole = steps.some(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@'));
      expect(takesRole).toBe(environment !== undefined);
      const asksGitHub = steps.some(({ run }) => run === '.ci/green');
      expect(permissions).toEqual({
        contents: 'read',
        ...(takesRole && { 'id-token': 'write' }),
        ...(asksGitHub && { checks: 'read', 'pull-requests': 'read' }),
      });
    },
  );

  test('a role: assumed by OIDC, not with a stored key', () => {
    const taken = steps.filter(([, { uses }]) => uses?.includes('configure-aws-credentials'));
    expect(taken.length).toBeGreaterThan(2);
    for (const [, { with: given }] of taken) {
      expect(Object.keys(given ?? {}).sort()).toEqual(
        expect.arrayContaining(['aws-region', 'role-to-assume']) as unknown as string[],
      );
      expect(JSON.stringify(given)).not.toMatch(/secret|access-key/i);
    }
  });

  test('a checkout: does not persist its token', () => {
    for (const [, { uses, with: given }] of steps) {
      if (uses?.startsWith('actions/checkout@')) expect(given?.['persist-credentials']).toBe(false);
    }
  });
});

describe('the secrets', () => {
  test('a secret: passed only as an environment variable, and only to the steps that need it', () => {
    const holders = steps.filter(([, step]) => JSON.stringify(step).includes('secrets.'));
    expect(holders.map(([job, { name }]) => `${job}: ${name}`)).toEqual([
      'deploy.yml dev: acceptance',
      'deploy.yml prod: acceptance',
    ]);
    for (const [, { env = {}, ...rest }] of holders) {
      expect(JSON.stringify(rest)).not.toContain('secrets.');
      expect(Object.entries(env).filter(([, value]) => value.includes('secrets.'))).toEqual([
        ['CLIENT_SECRET', expect.stringMatching(/^\$\{\{ secrets\.CLIENT_SECRET \}\}$/)],
        ['OTHER_CLIENT_SECRET', expect.stringMatching(/^\$\{\{ secrets\.OTHER_CLIENT_SECRET \}\}$/)],
      ]);
    }
    for (const [, job] of jobs) expect(JSON.stringify(job.env ?? {})).not.toContain('secrets.');
  });

  test('a script: prints no secret, and no expression is inserted into its text', () => {
    for (const [, { run = '' }] of steps) {
      expect(run).not.toMatch(/\$\{\{|set -\w*x|printenv|\benv\b|CLIENT_SECRET|TOKEN/);
    }
    for (const file of readdirSync(join(ROOT, '.ci'))) {
      const script = readFileSync(join(ROOT, '.ci', file), 'utf8');
      expect(script).not.toMatch(/set -\w*x|printenv|(echo|printf)[^\n]*(TOKEN|SECRET)/);
    }
  });
});

describe('the commands', () => {
  test('every command of a step: exists in the repository', () => {
    const commands = steps.flatMap(
      ([, { run = '' }]) => run.match(/\.ci\/\w+|node \S+\.ts|npm run (--silent )?[\w:]+/g) ?? [],
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const name = command.split(' ').pop() as string;
      if (command.startsWith('npm')) expect(Object.keys(scripts)).toContain(name);
      else expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
    }
  });

  test.each(workflows)(
    'workflow %s: a command that fails in a pipe fails its step (bash -eo pipefail)',
    (_, { defaults, jobs }) => {
      expect(defaults?.run?.shell).toBe('bash');
      for (const job of Object.values(jobs)) {
        expect(job).not.toHaveProperty('defaults');
        for (const { shell, run = '' } of job.steps) {
          expect(shell).toBeUndefined();
          expect(run).not.toMatch(/set \+|\|\| true/);
        }
      }
    },
  );

  test('every job: times out after at most 90 minutes', () => {
    for (const [, job] of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  const job = (name: string) => Object.fromEntries(jobs)[name] as Job;
  const runs = (name: string) => job(name).steps.flatMap(({ run }) => run ?? []);

  test('a pull request: runs the gate; each night: the nightly run', () => {
    expect(runs('check.yml gate')).toEqual(['.ci/run']);
    expect(runs('nightly.yml nightly')).toEqual(['.ci/nightly']);
  });

  test('.ci/nightly with a name that it does not know: runs nothing and fails', () => {
    const { status, stdout, stderr } = spawnSync('.ci/nightly', ['e2e', 'tests'], { cwd: ROOT, encoding: 'utf8' });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^\.ci\/nightly: tests is not one of deep /);
  });

  test('a pull request: shows the diff of each stage, unless it is a fork’s', () => {
    const diff = workflows[0]?.[1].jobs['diff'] as Job & { if: string; strategy: { matrix: object } };
    expect(diff.if).toBe('github.event.pull_request.head.repo.full_name == github.repository');
    expect(diff.strategy.matrix).toEqual({ stage: ['dev', 'prod'] });
    expect(runs('check.yml diff').pop()).toContain('npx cdk diff --method=template');
  });

  test('a push to main: asks for a green pull request, deploys dev, then prod; tests both, and watches the alarms of prod', () => {
    expect(runs('deploy.yml green')).toEqual(['.ci/green']);
    expect([job('deploy.yml dev').needs, job('deploy.yml prod').needs]).toEqual(['green', 'dev']);
    expect([job('deploy.yml dev').environment, job('deploy.yml prod').environment]).toEqual(['dev', 'prod']);
    expect(runs('deploy.yml dev')).toEqual(['npm ci', '.ci/deploy dev', '.ci/acceptance dev']);
    expect(runs('deploy.yml prod')).toEqual([
      'npm ci',
      '.ci/running prod >> "$GITHUB_OUTPUT"',
      '.ci/deploy prod',
      '.ci/acceptance prod',
      'node infra/scripts/watch-alarms.ts invoicing-prod 15',
      '.ci/rollback prod "$COMMIT"',
    ]);
  });

  test('a failure after the deployment of prod: deploys the commit that ran before', () => {
    const rollback = job('deploy.yml prod').steps.at(-1);
    expect(rollback?.if).toBe("failure() && steps.deploy.outcome == 'success' && steps.before.outputs.commit != ''");
    expect(rollback?.env?.['COMMIT']).toMatch(/^\$\{\{ steps\.before\.outputs\.commit \}\}$/);
    expect(
      job('deploy.yml prod')
        .steps.map((step) => (step as { id?: string }).id)
        .filter(Boolean),
    ).toEqual(['before', 'deploy']);
    expect(job('deploy.yml prod').steps[0]?.with?.['fetch-depth']).toBe(0);
  });
});
