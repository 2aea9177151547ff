import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type RunningServer, startServer } from '../local/server.ts';
import { NPM_TOOLS, PYTHON_TOOLS, type Tool } from './tools.ts';

/*
 * npm run test:generators: starts the service, reads its /openapi.json with each tool, and makes calls with what the tool
 * generates. The tools of Python need Python 3.11 and are skipped without it.
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

const install = async (): Promise<readonly Tool[]> => {
  rmSync(join(DIRECTORY, 'output'), { recursive: true, force: true });
  mkdirSync(join(DIRECTORY, 'output'));
  await timed('npm ci', () => run('npm ci'));
  if (spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status !== 0) {
    console.log(
      `Skipped: ${PYTHON_TOOLS.map(({ name }) => name).join(' and ')} need python3, 3.11 or later, on the PATH.`,
    );
    return NPM_TOOLS;
  }
  await timed('pip install', () => {
    run('python3 -m venv output/venv');
    run('pip install --quiet --require-hashes --requirement requirements.txt');
  });
  return [...NPM_TOOLS, ...PYTHON_TOOLS];
};

/** The command that runs a client. TypeScript is bundled, because generated imports have no file extensions. */
const commandOf = (client: string): string => {
  if (client.endsWith('.py')) return `python clients/${client}`;
  if (client.endsWith('.mjs')) return `node clients/${client}`;
  const outfile = `output/${client.replace('.ts', '.mjs')}`;
  buildSync({
    absWorkingDir: DIRECTORY,
    entryPoints: [`clients/${client}`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return `node ${outfile}`;
};

/** Every client creates a customer, an invoice and its payment, lists `fields`, and prints the code of a rejected request. */
const makeCalls = (client: string, { url, token }: RunningServer): void => {
  const printed = run(commandOf(client), {
    API: url,
    TOKEN: token,
    PYTHONPATH: ['output/python', 'output'].join(delimiter),
  });
  const { customer, invoice, ...results } = JSON.parse(printed);
  assert(Number.isSafeInteger(customer));
  const rows = [{ id: invoice, status: 'paid' }];
  assert.deepEqual(results, { rows, next: null, code: 'validation-failed' });
};

const tools = await install();
const server = await startServer();
try {
  const document = await fetch(`${server.url}/openapi.json`);
  writeFileSync(join(DIRECTORY, 'output/openapi.json'), await document.text());
  for (const { name, command } of tools) await timed(name, () => run(command));
  await timed('types of the clients', () => run('tsc -p .'));
  for (const { name, client } of tools) {
    if (client) await timed(`calls with ${name}`, () => makeCalls(client, server));
  }
} finally {
  await server.stop();
}
