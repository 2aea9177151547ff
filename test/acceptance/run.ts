import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { ROOT } from '#local/settings/settings.ts';
import { MISSING } from '#test/support/service/capabilities.ts';
import { expectService, findMissing, withoutTokens } from './probe.ts';

const USAGE = [
  '[--url <address>] [--token-command <command> | --without-tokens] [--accounts <own>,<other>]',
  '[--only <text>] [--bail] [--junit <file>]',
].join(' ');

const HELP = `Checks a service against the contract, clause by clause, by requests alone (test/acceptance/README.md).

  npm run acceptance -- ${USAGE}

  --url            address of the service (default: http://127.0.0.1:3000, that of npm start)
  --token-command  prints an access token; called with --account, --sub, and --role, --scope, --expires-in or --claims
                   (default: npm run token's issuer)
  --without-tokens runs the tests that need no token
  --accounts       the two accounts that the command issues tokens for (default: new accounts for each test file)
  --only           runs the files of test/behaviour whose path contains this text
  --bail           stops at the first file with a failure
  --junit          writes the results as JUnit XML

Exits with 1 if a test fails.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  url: { ...text, default: 'http://127.0.0.1:3000' },
  'token-command': text,
  'without-tokens': { type: 'boolean', default: false },
  accounts: { ...text, default: '' },
  only: { ...text, default: '' },
  bail: { type: 'boolean', default: false },
  junit: text,
  help: { type: 'boolean', short: 'h' },
} as const;

/** Rejects two options if one of them would have no effect. */
const checkOptions = ({ accounts, ...options }: Readonly<Record<string, string | boolean | undefined>>): void => {
  if (options['without-tokens'] && (options['token-command'] || accounts))
    throw new CliError('--without-tokens uses no --token-command and no --accounts.', 2);
  const names = String(accounts).split(',');
  if (accounts && (new Set(names).size !== 2 || names.length !== 2 || names.includes('')))
    throw new CliError(`Expected --accounts to be two accounts, such as own,other, not ${accounts}.`, 2);
};

const FOLDER = 'test/behaviour';

/** The test files that send only requests and whose path contains a text. */
const filesWith = (part: string): string[] => {
  const files = globSync(`${FOLDER}/**/*.test.ts`, { cwd: ROOT, exclude: [`${FOLDER}/internal`] }).sort();
  const found = files.filter((file) => file.slice(FOLDER.length).includes(part));
  if (found.length > 0) return found;
  const names = files.map((file) => file.slice(FOLDER.length + 1).replace('.test.ts', ''));
  throw new CliError(`No file of ${FOLDER} has "${part}" in its path; the files are: ${names.join(', ')}.`, 2);
};

/** Creates the file before the tests run, so that a wrong path costs no time. */
const createFile = async (file: string): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
  } catch (error) {
    throw new CliError(`Cannot write ${file}: ${(error as NodeJS.ErrnoException).code}.`, 2);
  }
};

const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

const runJest = async (options: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> => {
  const args = [...JEST, '--selectProjects=acceptance', '--testTimeout=120000', ...options];
  const jest = spawn(process.execPath, args, { cwd: ROOT, env: environment, stdio: 'inherit' });
  const [code] = await once(jest, 'exit');
  return code ?? 1;
};

await run(async () => {
  const options = parseOptions(process.argv.slice(2), OPTIONS, `npm run acceptance -- ${USAGE}`);
  if (options.help) return console.log(HELP);
  checkOptions(options);
  const { url, accounts, bail, junit } = options;
  const files = filesWith(options.only);
  await expectService(url);
  const environment = {
    ...process.env,
    BASE_URL: url,
    TOKEN_COMMAND: options['token-command'],
    ACCOUNTS: accounts,
    ...(junit && { JEST_JUNIT_OUTPUT_FILE: resolve(junit) }),
    JEST_JUNIT_CLASSNAME: '{classname}',
    JEST_JUNIT_TITLE: '{title}',
    JEST_JUNIT_REPORT_TEST_SUITE_ERRORS: 'true',
  };
  const missing = options['without-tokens'] ? withoutTokens : await findMissing(environment);
  if (junit) await createFile(junit);
  for (const [capability, reason] of missing) console.log(`Tests that need ${capability} are skipped: ${reason}`);
  process.exitCode = await runJest(
    [
      ...['default', 'github-actions', ...(junit ? ['jest-junit'] : [])].map((name) => `--reporters=${name}`),
      // Files that share two accounts run one after another.
      // Others mostly wait for responses, so that more of them run than the machine has cores.
      accounts ? '--runInBand' : '--maxWorkers=6',
      ...(bail ? ['--bail'] : []),
      ...(options.only ? ['--runTestsByPath', ...files] : []),
    ],
    { ...environment, [MISSING]: [...missing.keys()].join() },
  );
});
