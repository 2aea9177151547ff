import { writeFile } from 'node:fs/promises';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { openDeployment, publicDeployment } from './deployment.ts';
import { groups } from './groups/index.ts';
import { type Group, Skipped } from './suite/check.ts';
import { compareWithDocument } from './suite/documented.ts';
import { junitOf, progressOf, tableOf } from './suite/report.ts';
import { runGroups } from './suite/run.ts';
import type { Deployment } from './suite/service.ts';

const USAGE = `[--url <address>] [--token-command <command> | --without-tokens] [--accounts <own>,<other>] [--profile <file>]
                          [--only <text>] [--bail] [--junit <file>] [--summary <file>]`;

const HELP = `Checks a service against the contract, clause by clause, by requests alone (test/acceptance/README.md).

  npm run acceptance -- ${USAGE}

  --url            address of the service (default: http://127.0.0.1:3000, that of npm start)
  --handlers       checks the handlers of this checkout in this process, without a server
  --token-command  prints an access token; called with --account, --sub, and --role, --scope, --expires-in or --claims
                   (default: npm run token's issuer)
  --without-tokens runs the checks that need no token
  --accounts       the two accounts that the command issues tokens for (default: new accounts for each group of checks)
  --profile        file that describes another service; only the checks of any service run
  --only           runs the groups whose name contains this text
  --bail           stops at the first failure
  --junit          writes the results as JUnit XML
  --summary        appends the table of results as Markdown

Exits with 1 if a check fails.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  url: { ...text, default: 'http://127.0.0.1:3000' },
  handlers: { type: 'boolean', default: false },
  'token-command': text,
  'without-tokens': { type: 'boolean', default: false },
  accounts: { ...text, default: '' },
  profile: text,
  only: { ...text, default: '' },
  bail: { type: 'boolean', default: false },
  junit: text,
  summary: text,
  help: { type: 'boolean', short: 'h' },
} as const;

const openTarget = async (options: ReturnType<typeof parse>): Promise<Deployment & { stop?(): Promise<void> }> => {
  const { url, accounts, 'token-command': command, 'without-tokens': withoutTokens } = options;
  if (options.handlers) return (await import('./handlers.ts')).startHandlers();
  if (!URL.canParse(url)) throw new CliError(`Expected --url to be the address of a service, not ${url}.`, 2);
  try {
    const deployment = withoutTokens
      ? publicDeployment(url)
      : await openDeployment({ url, command, accounts: accounts.split(',').filter(Boolean) });
    return { ...deployment, inspect: compareWithDocument };
  } catch (error) {
    if (error instanceof Skipped) throw new CliError(`No token: ${error.message}`, 2);
    throw error;
  }
};

const parse = () => parseOptions(process.argv.slice(2), OPTIONS, `npm run acceptance -- ${USAGE}`);

const selected = (all: readonly Group[], only: string): Group[] => {
  const found = all.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (found.length > 0) return found;
  throw new CliError(
    `No group has "${only}" in its name; the groups are: ${all.map(({ name }) => name).join(', ')}.`,
    2,
  );
};

await run(async () => {
  const options = parse();
  if (options.help) return console.log(HELP);
  const chosen = selected(groups, options.only);
  const deployment = await openTarget(options);
  const results = await runGroups(deployment, chosen, {
    bail: options.bail,
    ...(options.accounts && { concurrency: 1 }),
    onGroup: ({ name }, own) => console.log(progressOf(name, own)),
  });
  const table = tableOf(results);
  console.log(`\n${table}`);
  if (options.junit) await writeFile(options.junit, junitOf(results));
  if (options.summary) await writeFile(options.summary, `### Acceptance\n\n${table}\n`, { flag: 'a' });
  await deployment.stop?.();
  if (results.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1;
});
