import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type RunningServer, startServer } from '../local/server.ts';
import { type Runtime, TOOLS, type Tool } from './tools.ts';

/*
 * npm run test:generators: starts the service, reads its /openapi.json with each tool, and makes calls with what the tool
 * generates. A tool whose runtime is not on the PATH is skipped.
 */

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
const FOLDERS = [dirname(process.execPath), join(DIRECTORY, 'node_modules/.bin'), join(DIRECTORY, 'output/venv/bin')];
const PATH = [...FOLDERS, process.env['PATH']].join(delimiter);

/** Runs a command in this folder, and returns its standard output. */
const run = (command: string, variables: Readonly<Record<string, string>> = {}): string => {
  const [file = '', ...args] = command.split(' ');
  const env = { ...process.env, ...variables, PATH };
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: DIRECTORY, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed. ${error ?? ''}\n${stdout}\n${stderr}`);
  return stdout;
};

const timed = async (title: string, action: () => unknown): Promise<void> => {
  const start = performance.now();
  await action();
  console.log(`${title.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`);
};

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** The runtimes of tools, in the words of the line that says what was skipped. */
const RUNTIMES: Readonly<Record<Runtime, { readonly title: string; readonly isPresent: () => boolean }>> = {
  python: {
    title: 'python3, 3.11 or later',
    isPresent: () => succeeds('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))'),
  },
  go: { title: 'go, 1.26 or later', isPresent: () => succeeds('go', 'version') },
  java: {
    title: 'mvn and javac, 11 or later',
    isPresent: () => succeeds('mvn', '-v') && succeeds('javac', '-version'),
  },
};

/** The runtimes that are missing. Prints a line for each. */
const missingRuntimes = (): readonly string[] =>
  Object.entries(RUNTIMES).flatMap(([runtime, { title, isPresent }]) => {
    if (isPresent()) return [];
    const skipped = TOOLS.filter(({ needs = [] }) => needs.some((need) => need === runtime)).map(({ name }) => name);
    console.log(`Skipped: ${skipped.join(', ')} need ${title}, on the PATH.`);
    return [runtime];
  });

const install = async (): Promise<readonly Tool[]> => {
  const missing = missingRuntimes();
  rmSync(join(DIRECTORY, 'output'), { recursive: true, force: true });
  mkdirSync(join(DIRECTORY, 'output'));
  await timed('npm ci', () => run('npm ci'));
  if (!missing.includes('python')) {
    await timed('pip install', () => {
      run('python3 -m venv output/venv');
      run('pip install --quiet --require-hashes --requirement requirements.txt');
    });
  }
  return TOOLS.filter(({ needs = [] }) => !needs.some((need) => missing.includes(need)));
};

/** Each file is optional, because its tool can be skipped. */
const checkTypes = (tools: readonly Tool[]): void => {
  const files = tools.flatMap(({ client }) => (client?.endsWith('.ts') ? [`../clients/${client}`] : []));
  writeFileSync(
    join(DIRECTORY, 'output/tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', include: [], files }),
  );
  run('tsc -p output');
};

const CLASSES = ['output/java/target/classes', 'output/java/target/dependency/*'].join(delimiter);

/** The command that runs a client. TypeScript is bundled, because generated imports have no file extensions. */
const commandOf = (client: string): string => {
  const path = `clients/${client}`;
  if (client.endsWith('.py')) return `python ${path}`;
  if (client.endsWith('.mjs')) return `node ${path}`;
  if (client.endsWith('.java')) return `java -cp ${CLASSES} ${path}`;
  if (!client.endsWith('.ts')) return `go run ./${path}`;
  const outfile = `output/${client.replace('.ts', '.mjs')}`;
  buildSync({
    absWorkingDir: DIRECTORY,
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return `node ${outfile}`;
};

/**
 * Every client creates a customer, an invoice beyond 32 bits and its payment, lists `fields`, and prints the code of a
 * rejected request.
 */
const makeCalls = (client: string, { url, token }: RunningServer): void => {
  const printed = run(commandOf(client), {
    API: url,
    TOKEN: token,
    PYTHONPATH: ['output/python', 'output'].join(delimiter),
  });
  const { customer, invoice, ...results } = JSON.parse(printed);
  assert(Number.isSafeInteger(customer) && customer > 2 ** 31);
  const rows = [{ id: invoice, status: 'paid', total_cents: 3_000_000_000 }];
  assert.deepEqual(results, { rows, next: null, code: 'validation-failed' });
};

const download = async (url: string): Promise<void> => {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as object;
  const others = { ...document, webhooks: undefined };
  writeFileSync(join(DIRECTORY, 'output/openapi.json'), JSON.stringify(document));
  writeFileSync(join(DIRECTORY, 'output/without-webhooks.json'), JSON.stringify(others));
};

const tools = await install();
const server = await startServer();
try {
  await download(server.url);
  for (const { name, commands } of tools) {
    // The local tools of npx are on the PATH.
    await timed(name, () => {
      for (const command of commands) run(command.replace(/^npx /, ''));
    });
  }
  await timed('types of the clients', () => checkTypes(tools));
  for (const { name, client } of tools) {
    if (client) await timed(`calls with ${name}`, () => makeCalls(client, server));
  }
} finally {
  await server.stop();
}
