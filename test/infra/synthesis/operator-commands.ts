import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { settingsOf } from '#infra/settings/settings.ts';
import { type AwsAccount, AwsError, answerAws, parseAws } from '#test/support/operator/aws-account.ts';
import { type Answer, type Call, end, runCommands, withPrograms } from '#test/support/operator/run-block.ts';
import { operatorBlocks } from '#test/support/operator/shell-blocks.ts';
import { KEYS, type Resource } from './deployment.ts';
import { prod } from './stages.ts';

/*
 * The commands that the documents tell operators to run. Each block runs in bash; the AWS CLI answers from the template of
 * stage prod. Programs of this repository print what they print for this account; those that need data only read their
 * arguments.
 */

const STACK = 'invoicing-prod';
const TIME = '2026-11-22T10:00:00Z';
const COMMIT = '0123abc';
const [KID, OTHER_KEYS] = ['stolen', '{"keys":[{"kid":"new"}]}'];

/** The variables that a document tells to set, and the values of its placeholders. */
const VARIABLES = { T: TIME, JWKS_URL: 'https://id.example.com/jwks.json' };
const PLACEHOLDERS: Readonly<Record<string, string>> = { kid: KID, commit: COMMIT, Address: 'https://api.example.com' };

/** CloudFormation identifies a nested stack by its ARN. */
const physicalId = (logical: string, { Type }: Resource): string =>
  Type === 'AWS::CloudFormation::Stack'
    ? `arn:aws:cloudformation:eu-central-1:1:stack/${logical}/x`
    : `${STACK}-${logical}`;

const stackName = (id: string): string =>
  id === '' ? STACK : physicalId(id, { Type: 'AWS::CloudFormation::Stack', Properties: {} });

const account: AwsAccount = {
  templates: Object.fromEntries([...prod.stacks].map(([id, resources]) => [stackName(id), resources])),
  stacks: Object.fromEntries(
    [...prod.stacks].map(([id, resources]) => [
      stackName(id),
      Object.entries(resources).map(([LogicalResourceId, resource]) => ({
        LogicalResourceId,
        PhysicalResourceId: physicalId(LogicalResourceId, resource),
        ResourceType: resource.Type,
      })),
    ]),
  ),
  descriptions: Object.fromEntries(
    Object.entries(prod.resources).map(([id, { Properties }]) => [`${STACK}-${id}`, Properties?.['Description']]),
  ),
};
const EMPTY: AwsAccount = { stacks: { [STACK]: [] }, templates: {}, descriptions: {} };
const NO_STACK: AwsAccount = { ...EMPTY, stacks: {} };

const idsOf = (type: string): string[] =>
  Object.values(account.stacks)
    .flatMap((all) => all.filter(({ ResourceType }) => ResourceType === type))
    .map(({ PhysicalResourceId }) => PhysicalResourceId)
    .sort();
const FUNCTIONS = idsOf('AWS::Lambda::Function');
/** The workers, which have executions of their own. */
const RESERVED = new Set(
  FUNCTIONS.filter(
    (name) => 'ReservedConcurrentExecutions' in (prod.resources[name.slice(STACK.length + 1)]?.Properties ?? {}),
  ),
);
const RESTORED = idsOf('AWS::DynamoDB::GlobalTable')
  .filter((name) => !name.includes('limitstable'))
  .map((name) => `restored-20261122T100000Z-${name}`);

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** Programs that only print, unless their arguments contain a word. */
const PRINTING: Readonly<Record<string, string | undefined>> = {
  'infra/scripts/list-functions.ts': undefined,
  'infra/scripts/restore-tables.ts': '--yes',
};

const outputs = new Map<string, Promise<string>>();

/** Runs a program of this repository in an account. */
const runProgram = (args: readonly string[], within: AwsAccount): Promise<string> => {
  const run = () =>
    withPrograms(
      ([, ...command]) => answerAws(within, new Set(), command),
      async ({ environment, directory }) => {
        const { code, stdout, stderr } = await end(process.execPath, args, ROOT, {
          ...environment,
          DATA_DIR: directory,
        });
        if (code !== 0) throw new AwsError(stderr.trim());
        return stdout;
      },
    );
  const key = JSON.stringify([args, Object.keys(within.stacks).length]);
  const output = outputs.get(key) ?? run();
  outputs.set(key, output);
  return output;
};

/** A program that needs data must accept its arguments: it fails only because there is no stack, and no `npm start`. */
const expectArguments = async (args: readonly string[]): Promise<string> => {
  const failure = await runProgram(args, NO_STACK).then(
    () => 'It needs no data.',
    ({ message }: Error) => message,
  );
  if (/^Cannot read the stack|^npm start does not run/.test(failure)) return '';
  throw new AwsError(failure);
};

/** The file and the arguments of a program of this repository. */
const programOf = ([program, ...args]: Call): string[] => {
  if (program === 'node') return args;
  const [, name = '', ...rest] = args.filter((arg) => arg !== '--silent');
  const file = /(\S+\.ts)$/.exec(scripts[name] ?? '')?.[1];
  if (args[0] === 'run' && !scripts[name]) throw new AwsError(`Missing script: ${name}`);
  return file === undefined ? [] : [file, ...rest.filter((arg) => arg !== '--')];
};

/** Reads the settings as `npx cdk` does. */
const expectSettings = (args: readonly string[]): string => {
  const given = args.flatMap((arg, i) => (arg === '-c' ? [/^(\w+)=(.*)$/.exec(args[i + 1] ?? '') ?? []] : []));
  const context = new Map(given.map(([, key = '', value = '']) => [key, value]));
  settingsOf(
    (key) => context.get(key),
    [...context.keys()],
    () => KEYS,
  );
  return '';
};

const answerIn = (within: AwsAccount): Answer => {
  const restored = new Set<string>();
  return async (call) => {
    const [program, ...args] = call;
    if (program === 'aws') return answerAws(within, restored, args);
    if (program === 'npx') return expectSettings(args);
    if (program === 'curl') return within === account ? OTHER_KEYS : '';
    if (program === 'rollback') return '';
    const command = programOf(call);
    const [file = ''] = command;
    if (!/^(infra\/scripts|test\/acceptance)/.test(file)) return '';
    const exception = PRINTING[file];
    const prints = file in PRINTING && !(exception && args.includes(exception));
    return prints ? runProgram(command, within) : expectArguments(command);
  };
};

/** What is called: for the AWS CLI the operation, else the program with its arguments. */
const kindOf = ([program, ...args]: Call): string =>
  program === 'aws' ? parseAws(args).operation : [program, ...args].join(' ');

/** The resource that a call of the AWS CLI names. */
const subjectOf = ([, ...args]: Call): string => {
  const { options } = parseAws(args);
  return options['function-name'] ?? options['target-table-name'] ?? options['table-name'] ?? '';
};

interface Ran extends Awaited<ReturnType<typeof runCommands>> {
  readonly calls: readonly Call[];
}

/** @param failing the first call of this kind fails */
const run = async (commands: string, answer: Answer, failing?: string): Promise<Ran> => {
  const calls: Call[] = [];
  const filled = commands.replaceAll(/<(\w+)>/g, (all, name) => PLACEHOLDERS[name] ?? all);
  const variables = Object.entries(VARIABLES).map(([name, value]) => `${name}='${value}'\n`);
  const ended = await runCommands([...variables, filled].join(''), (call) => {
    calls.push(call);
    if (kindOf(call) === failing) throw new AwsError('Refused by the test.');
    return answer(call);
  });
  return { ...ended, calls };
};

const LIST = 'node infra/scripts/list-functions.ts --stage prod';
const TABLES = `node infra/scripts/restore-tables.ts --stage prod --time ${TIME}`;
const CONTEXT = [
  '-c stage=prod -c issuer=https://id.example.com/ -c audience=invoicing -c jwksUrl=https://id.example.com/.well-known/jwks.json',
  '-c alarmEmail=ops@example.com -c runbook=https://wiki.example.com/invoicing/runbook',
].join(' ');

/** The calls of each block, and the resources that they name. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'docs/deploy.md 1': { 'npm ci': [], 'npm run test:deployment': [] },
  'docs/deploy.md 2': { 'npx cdk deploy -c stage=dev': [] },
  'docs/deploy.md 3': { [`npx cdk deploy ${CONTEXT}`]: [] },
  'docs/deploy.md 4': { [`rollback prod ${COMMIT}`]: [] },
  'docs/runbook.md 1': { [`curl -fsS ${VARIABLES.JWKS_URL}`]: [] },
  'docs/runbook.md 2': {
    [LIST]: [],
    'lambda get-function-configuration': FUNCTIONS,
    'lambda update-function-configuration': FUNCTIONS,
    'lambda wait function-updated-v2': FUNCTIONS,
  },
  'docs/runbook.md 3': {},
  'docs/runbook.md 4': { [LIST]: [], 'lambda put-function-concurrency': FUNCTIONS },
  'docs/runbook.md 5': {
    [TABLES]: [],
    'dynamodb list-tables': [],
    'dynamodb restore-table-to-point-in-time': RESTORED,
  },
  'docs/runbook.md 6': { [`${TABLES} --yes`]: [] },
  'docs/runbook.md 7': { 'npm run audit -- --stage prod --repair': [], 'npm run audit -- --stage prod': [] },
  'docs/runbook.md 8': {
    [LIST]: [],
    'lambda delete-function-concurrency': FUNCTIONS.filter((name) => !RESERVED.has(name)),
    'lambda put-function-concurrency': [...RESERVED],
  },
  'docs/runbook.md 9': { [TABLES]: [], 'dynamodb delete-table': RESTORED },
  'docs/runbook.md 10': { 'npm run account -- export acct_1 --stage prod': [] },
  'docs/runbook.md 11': { 'npm run account -- export acct_1 --stage prod --to acct_1-data --yes': [] },
  'docs/runbook.md 12': { 'npm run account -- erase acct_1 --stage prod --yes': [] },
};

const summary = (calls: readonly Call[]) =>
  Object.fromEntries(
    [...Map.groupBy(calls, kindOf)].map(([kind, all]) => [kind, all.map(subjectOf).filter(Boolean).sort()]),
  );

describe('the commands of the documents for operators', () => {
  test('every block: has an expectation, and no expectation is without its block', () => {
    expect(Object.keys(EXPECTED)).toEqual(operatorBlocks.map(({ name }) => name));
  });

  test.each(operatorBlocks.map(({ name, commands }) => [name, commands] as const))('%s', async (name, commands) => {
    const { code, stderr, calls } = await run(commands, answerIn(account));
    expect({ code, stderr, calls: summary(calls) }).toEqual({ code: 0, stderr: '', calls: EXPECTED[name] });
    for (const kind of new Set(calls.map(kindOf))) {
      const failed = await run(commands, answerIn(account), kind);
      expect([kind, failed.code === 0, failed.stderr]).toEqual([
        kind,
        false,
        expect.stringContaining('Refused by the test.'),
      ]);
      expect([kind, failed.calls.slice(failed.calls.findIndex((call) => kindOf(call) === kind) + 1)]).toEqual([
        kind,
        [],
      ]);
    }
    if (!calls.some(([program]) => program === 'aws' || program === 'curl')) return;
    const empty = await run(commands, answerIn(EMPTY));
    expect([empty.code === 0, empty.stderr !== '']).toEqual([false, true]);
  });

  const blockWith = (text: string): string =>
    operatorBlocks.find(({ commands }) => commands.includes(text))?.commands ?? '';

  test('a stolen key that the issuer still publishes: the check fails', async () => {
    const published = () => `{"keys":[{"kid":"new"},{"kid":"${KID}"}]}`;
    const { code, stdout, stderr } = await run(blockWith('curl'), published);
    expect([code, stdout, stderr]).toEqual([1, '', `${KID} is still there.\n`]);
  });

  test('functions that got new execution environments before: keep their route, with the new time only', async () => {
    const [route, name] = ['POST /payments', FUNCTIONS[0] as string];
    const descriptions = { ...account.descriptions, [name]: `${route} renewed 2026-11-01T00:00:00Z` };
    const { calls } = await run(blockWith('--description'), answerIn({ ...account, descriptions }));
    const update = calls.find((call) => kindOf(call) === 'lambda update-function-configuration' && call.includes(name));
    expect(update?.at(-1)).toMatch(/^POST \/payments renewed \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(update?.at(-1)).not.toContain('2026-11-01');
  });
});
