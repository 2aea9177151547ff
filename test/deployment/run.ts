import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { run } from '../local/command.ts';
import { operatorBlocks } from '../support/operator/shell-blocks.ts';
import { type Account, openAccount, runOrThrow } from './account.ts';
import { createCopy } from './copy.ts';
import { DIFFERENCES, TOO_SLOW } from './differences.ts';
import { clientOf } from './requests.ts';

/*
 * npm run test:deployment: deploys the dev stage with the CDK CLI into an emulated AWS account that enforces IAM, checks it
 * from outside, changes it, and destroys it (docs/deploy.md). It needs Python 3.11 and is skipped without it.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CDK = 'node_modules/aws-cdk/bin/cdk';
const STACK = 'invoicing-dev';

/** The limits of a clerk's payments that the stage has one after the other, in minor units. */
const LIMITS = { first: 100_000, changed: 70_000, failed: 80_000 };

/** Prints what a step has seen, and how long it took. */
const step = async (title: string, action: () => Promise<string>): Promise<void> => {
  const start = performance.now();
  const seen = await action();
  console.log(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${title.padEnd(40)} ${seen}`);
};

const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}.`);
};

const main = async (directory: string, account: Account): Promise<void> => {
  const environment = { ...account.environment, DATA_DIR: directory };
  const cdk = (...args: string[]) => runOrThrow(ROOT, [CDK, ...args], environment);
  const synthesize = async (limit: number, name = `cdk.out-${limit}`, root = ROOT): Promise<string> => {
    const output = join(directory, name);
    const context = { stage: 'dev', arch: 'host', clerkPaymentLimitCents: String(limit) };
    const options = Object.entries(context).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    await runOrThrow(root, [CDK, 'synth', '--quiet', '--output', output, ...options], environment);
    return output;
  };
  /** IAM is enforced afterwards: MiniStack knows no service role of CloudFormation. */
  const deploy = async (assembly: string): Promise<string> => {
    await account.enforceIam(false);
    const options = ['--app', assembly, '--require-approval', 'never', '--progress', 'events'];
    await cdk('deploy', ...options);
    await account.enforceIam(true);
    return 'complete';
  };
  const client = await clientOf(account.url, directory);
  const clerkLimit = () => client.clerkLimit(Object.values(LIMITS).sort((a, b) => a - b));

  await step('cdk bootstrap', async () => {
    await cdk('bootstrap', account.name);
    return 'the CDK toolkit';
  });
  let first = '';
  await step('cdk deploy', async () => {
    first = await synthesize(LIMITS.first);
    return deploy(first);
  });
  await step('the limits of an account, alone', () =>
    runAcceptance(account, directory, { only: 'limits/', differences: [TOO_SLOW] }),
  );
  await step('the acceptance suite', () => runAcceptance(account, directory));
  await step('the commands for a stolen signing key', async () => {
    const block = operatorBlocks.find(({ commands }) => commands.includes('update-function-configuration'));
    const commands = (block?.commands ?? 'exit 1').replaceAll('--stage prod', '--stage dev');
    await account.enforceIam(false);
    const names = (await runOrThrow(ROOT, ['-c', commands], environment, 'bash')).trim().split('\n');
    await account.enforceIam(true);
    expectEqual('the functions', new Set(names).size, Object.keys({ ...endpoints, ...workers }).length);
    expectEqual('payments', await client.payInEachWay(), [201, 201, 201]);
    return `${names.length} functions have new execution environments`;
  });
  await step('a new filter, while requests run', async () => {
    const code = await createCopy(join(directory, 'checkout'));
    const declare = (before: string, after: string) => code.change('shared/invoicing/index.ts', before, after);
    const [old, tax_id] = ["indexes: [['email']],", 'DE 1'];
    const count = () => client.countWith(`tax_id=${encodeURIComponent(tax_id)}`);
    let backfilled = '';
    const { requests, failures } = await client.sendDuring(async () => {
      await client.createCustomer({ tax_id });
      await declare(old, `${old} unreadIndexes: [['tax_id']],`);
      await deploy(await synthesize(LIMITS.first, 'cdk.out-written', code.root));
      await client.createCustomer({ tax_id });
      expectEqual('the filter, before it is read', await count(), 422);
      const backfill = async () => {
        const program = ['infra/scripts/backfill.ts', 'customers', '--stage', 'dev'];
        return (await runOrThrow(code.root, program, environment)).split('\n')[0] ?? '';
      };
      backfilled = await backfill();
      if (!/: [1-9]\d* of \d+ rows/.test(backfilled)) throw new Error(`The backfill changes no row: ${backfilled}`);
      const again = await backfill();
      if (!/: 0 of \d+ rows/.test(again)) throw new Error(`A second backfill changes rows: ${again}`);
      await declare(`${old} unreadIndexes: [['tax_id']],`, "indexes: [['email'], ['tax_id']],");
      await deploy(await synthesize(LIMITS.first, 'cdk.out-read', code.root));
      expectEqual('the customers that the filter finds', await count(), 2);
    });
    expectEqual('failures meanwhile', failures, []);
    return `${backfilled} ${requests} requests meanwhile, none failed`;
  });
  await step('a rollback of the code, with newer rows', async () => {
    await deploy(first);
    expectEqual('the filter', await client.countWith('tax_id=x'), 422);
    const { requests, failures } = await client.useAllCustomers();
    expectEqual('failures', failures, []);
    return `${requests} requests read and change them, none failed`;
  });
  await step('cdk deploy of a change', async () => {
    expectEqual('the limit', await clerkLimit(), LIMITS.first);
    const seen = await deploy(await synthesize(LIMITS.changed));
    expectEqual('the limit', await clerkLimit(), LIMITS.changed);
    return `${seen}; the new limit is in force`;
  });
  await step('cdk deploy of a change that fails', async () => {
    const failing = await synthesize(LIMITS.failed);
    await breakTemplate(join(failing, `${STACK}.template.json`));
    const failure = await deploy(failing).catch(String);
    // The CLI cuts the last letter.
    if (!failure.includes('UPDATE_ROLLBACK_COMPLET')) throw new Error(`No rollback: ${failure}`);
    await account.enforceIam(true);
    expectEqual('the limit', await clerkLimit(), LIMITS.changed);
    return 'rolled back; the limit before is in force';
  });
  await step('cdk destroy', async () => {
    await account.enforceIam(false);
    await cdk('destroy', '--app', first, '--force');
    return 'the stack is gone';
  });
};

/** Adds a resource that cannot be created, after all others were changed. */
const breakTemplate = async (file: string): Promise<void> => {
  const template = JSON.parse(await readFile(file, 'utf8')) as { Resources: Record<string, { Type: string }> };
  const nested = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack');
  const broken = {
    Type: 'AWS::SQS::Queue',
    Properties: { QueueName: { 'Fn::GetAtt': [nested[0]?.[0], 'Outputs.Absent'] } },
    DependsOn: nested.map(([name]) => name),
  };
  await writeFile(file, JSON.stringify({ ...template, Resources: { ...template.Resources, Broken: broken } }));
};

/** @throws Error for a test that fails and is no known difference */
const runAcceptance = async (
  { url }: Account,
  directory: string,
  { only = '', differences = DIFFERENCES } = {},
): Promise<string> => {
  const junit = join(directory, 'acceptance.xml');
  const args = ['test/acceptance/run.ts', '--url', url, '--only', only, '--junit', junit];
  const running = run(ROOT, args, { DATA_DIR: directory });
  const code = await running.end();
  if (code !== 0 && code !== 1) throw new Error(`The acceptance suite ended with ${code}.\n${running.out.stderr}`);
  const report = await readFile(junit, 'utf8');
  const all = [...report.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs)];
  const cases = all.filter(([, , , inner]) => !inner?.includes('<skipped'));
  const failed = cases.flatMap(([, group, name, inner]) =>
    /<(failure|error)/.test(inner ?? '') ? [`${group}: ${name}`] : [],
  );
  const known = (name: string) => differences.some(({ tests }) => tests.test(name));
  const unexpected = failed.filter((name) => !known(name));
  if (unexpected.length > 0) throw new Error(`Tests fail:\n${unexpected.join('\n')}\n${running.out.stderr}`);
  return `${cases.length - failed.length} tests hold, ${failed.length} differ as known`;
};

const hasPython = (): boolean =>
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0;

const inDirectory = async (action: (directory: string) => Promise<void>): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'deployment-'));
  await action(directory).finally(() => rm(directory, { recursive: true, force: true }));
};

if (hasPython()) {
  await inDirectory(async (directory) => {
    const account = await openAccount(directory);
    await main(directory, account).finally(() => account.stop());
  });
} else {
  console.log('Skipped: MiniStack needs python3, 3.11 or later, on the PATH.');
}
