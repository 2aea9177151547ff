import { writeFile } from 'node:fs/promises';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { groups } from '#test/behaviour/groups.ts';
import { openDeployment, openPublic } from './deployment.ts';
import { compareWithDocument, isLimited } from './own-service.ts';
import type { Group } from './suite/check.ts';
import { junitOf, progressOf, tableOf } from './suite/report.ts';
import { runGroups } from './suite/run.ts';
import type { Deployment } from './suite/service.ts';

const USAGE = [
  '[--url <address> | --handlers] [--token-command <command> | --without-tokens] [--accounts <own>,<other>]',
  '[--only <text>] [--bail] [--junit <file>] [--summary <file>]',
].join(' ');

const HELP = `Checks a service against the contract, clause by clause, by requests alone (test/acceptance/README.md).

  npm run acceptance -- ${USAGE}

  --url            address of the service (default: http://127.0.0.1:3000, that of npm start)
  --handlers       checks the handlers of this checkout in this process, without a server
  --token-command  prints an access token; called with --account, --sub, and --role, --scope, --expires-in or --claims
                   (default: npm run token's issuer)
  --without-tokens runs the checks that need no token
  --accounts       the two accounts that the command issues tokens for (default: new accounts for each group of checks)
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
  only: { ...text, default: '' },
  bail: { type: 'boolean', default: false },
  junit: text,
  summary: text,
  help: { type: 'boolean', short: 'h' },
} as const;

type Options = ReturnType<typeof parse>;

interface Run {
  readonly groups: readonly Group[];
  readonly deployment: Deployment & { stop?(): Promise<void> };
  /** Groups that run at the same time. */
  readonly concurrency?: number;
}

const openRun = async (options: Options): Promise<Run> => {
  const { url, only, handlers, 'token-command': command } = options;
  const accounts = options.accounts.split(',').filter(Boolean);
  const target = { url, command, accounts };
  const chosen = selected(groups, only);
  if (handlers) return { groups: chosen, deployment: await (await import('./handlers.ts')).startHandlers() };
  const open = options['without-tokens'] ? openPublic : openDeployment;
  const deployment = { ...(await open(target)), inspect: compareWithDocument, isLimited };
  return { groups: chosen, deployment, ...(accounts.length > 0 && { concurrency: 1 }) };
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

const write = async (file: string, text: string, flag = 'w'): Promise<void> => {
  await writeFile(file, text, { flag }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CliError(`Cannot write ${file}: ${code}.`, 2);
  });
};

await run(async () => {
  const options = parse();
  if (options.help) return console.log(HELP);
  const { groups: chosen, deployment, concurrency } = await openRun(options);
  const results = await runGroups(deployment, chosen, {
    bail: options.bail,
    ...(concurrency && { concurrency }),
    onGroup: ({ name }, own) => console.log(progressOf(name, own)),
  });
  const table = tableOf(results);
  console.log(`\n${table}`);
  await deployment.stop?.();
  if (options.junit) await write(options.junit, junitOf(results));
  if (options.summary) await write(options.summary, `### Acceptance\n\n${table}\n`, 'a');
  process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
});
