import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '#infra/build/bundle.ts';

/* actionlint and zizmor check the rest of the workflows (docs/deploy.md). */

interface Step {
  readonly if?: string;
  readonly with?: object;
  readonly env?: object;
  readonly run?: string;
}
interface Job {
  readonly steps: readonly Step[];
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { green, dev, prod } = parse(read('.github/workflows/deploy.yml')).jobs as Record<'green' | 'dev' | 'prod', Job>;
const commandsOf = ({ steps }: Job): string[] => steps.flatMap(({ run }) => run ?? []);

test('a push to main: deploys dev after a green gate, then prod after its approval, on the processor of the functions', () => {
  const deployed = { 'runs-on': 'ubuntu-24.04-arm' };
  expect({ dev, prod }).toMatchObject({
    dev: { ...deployed, needs: 'green', environment: 'dev' },
    prod: { ...deployed, needs: 'dev', environment: 'prod' },
  });
  expect(commandsOf(green)).toEqual(['.ci/green']);
  expect(commandsOf(dev)).toEqual(['npm ci', '.ci/deploy dev', '.ci/acceptance dev']);
});

test('a failure after the deployment of prod: deploys the commit that ran before, from the whole history', () => {
  expect(commandsOf(prod)).toEqual([
    'npm ci',
    '.ci/running prod >> "$GITHUB_OUTPUT"',
    '.ci/deploy prod',
    '.ci/acceptance prod',
    'node infra/scripts/watch-alarms.ts invoicing-prod 15',
    '.ci/rollback prod "$COMMIT"',
  ]);
  expect(prod.steps.at(-1)).toMatchObject({
    if: "failure() && steps.deploy.outcome == 'success' && steps.before.outputs.commit != ''",
    env: { COMMIT: `\${{ steps.before.outputs.commit }}` },
  });
  expect(prod.steps[0]).toMatchObject({ with: { 'fetch-depth': 0 } });
});

test('a program that a workflow runs: exists', () => {
  const texts = globSync('.github/workflows/*.yml', { cwd: ROOT }).map(read);
  const programs = texts.flatMap((text) => text.match(/\.ci\/\w+|(?<=node )\S+\.ts/g) ?? []);
  expect(programs.length).toBeGreaterThan(8);
  expect(programs.filter((program) => !existsSync(join(ROOT, program)))).toEqual([]);
});
