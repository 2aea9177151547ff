import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../local/server.ts';
import { TOOLS, type Tool } from './tools.ts';

/*
 * npm run test:generators: starts the service, generates a client from its /openapi.json with each tool, and makes calls
 * with it.
 */

const DIRECTORY = fileURLToPath(new URL('.', import.meta.url));
const FOLDERS = ['node_modules/.bin', 'output/venv/bin', '../../node_modules/.bin'].map((one) => join(DIRECTORY, one));
const PATH = [dirname(process.execPath), ...FOLDERS, process.env['PATH']].join(delimiter);

/** Runs a command in this folder, prints how long it took, and returns its standard output. */
const run = (command: string, variables: Readonly<Record<string, string>> = {}): string => {
  const start = performance.now();
  // The local tools of npx are on the PATH.
  const [file = '', ...args] = command.replace(/^npx /, '').split(' ');
  const env = { ...process.env, ...variables, PATH };
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: DIRECTORY, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed. ${error ?? ''}\n${stdout}\n${stderr}`);
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${command}`);
  return stdout;
};

const isPresent = (program: string): boolean => spawnSync(program, { stdio: 'ignore' }).error === undefined;

const canRun = ({ name, needs }: Tool): boolean => {
  const missing = needs.filter((program) => !isPresent(program));
  if (missing.length > 0) console.log(`Skipped: ${name} needs ${missing.join(' and ')} on the PATH.`);
  return missing.length === 0;
};

rmSync(join(DIRECTORY, 'output'), { recursive: true, force: true });
mkdirSync(join(DIRECTORY, 'output'));
const tools = TOOLS.filter(canRun);
run('npm ci');
if (isPresent('python3')) {
  run('python3 -m venv output/venv');
  run('pip install --quiet --require-hashes --requirement requirements.txt');
}
const server = await startServer();
try {
  writeFileSync(join(DIRECTORY, 'output/openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text());
  const variables = { API: server.url, TOKEN: server.token, PYTHONPATH: 'output/python' };
  for (const { commands, program } of tools) {
    const [printed = ''] = [...commands, ...program].map((command) => run(command, variables)).slice(-1);
    // Each program creates a customer, an invoice beyond 32 bits and its payment, lists `fields`, and sends an invalid body.
    const { customer, invoice, ...results } = JSON.parse(printed);
    assert(Number.isSafeInteger(customer) && customer > 2 ** 31);
    const rows = [{ id: invoice, status: 'paid', total_cents: 3_000_000_000 }];
    assert.deepEqual(results, { rows, next: null, code: 'validation-failed' });
  }
} finally {
  await server.stop();
}
