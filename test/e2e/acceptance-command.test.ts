import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';

/** The command line. A server with the same response to each request is a service that fails every test. */

const RUN = fileURLToPath(new URL('../acceptance/run.ts', import.meta.url));

const servers: Server[] = [];
const serve = async (status: number): Promise<string> => {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const wrong = await serve(404);
const refusing = await serve(401);
const folder = await mkdtemp(join(tmpdir(), 'acceptance-'));
afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...options: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...options], (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const TOKENS = ['--token-command', 'echo token; true'];
const onWrong = ['--url', wrong, ...TOKENS, '--only', 'requests/values'];

describe('a wrong call: one line on standard error, and exit code 2', () => {
  const calls: readonly (readonly [name: string, options: readonly string[], line: RegExp])[] = [
    ['an unknown option', ['--fast'], /^Unknown option '--fast'; expected: npm run acceptance -- \[--url/],
    [
      'a token command that fails',
      ['--url', wrong, '--token-command', 'echo no >&2; false'],
      /^No token: the token command issues no token for --account .*: no/,
    ],
    [
      'a service that does not respond',
      ['--url', 'http://127.0.0.1:1'],
      /^No service responds at http:\/\/127\.0\.0\.1:1: ECONNREFUSED\.$/,
    ],
    [
      'an address that is none',
      ['--url', 'ftp://x'],
      /^Expected --url to be the http or https address of a service, not ftp:\/\/x\.$/,
    ],
    [
      '--only without a file',
      ['--only', 'none'],
      /^No file of test\/behaviour has "none" in its path; the files are: access\/operations, /,
    ],
    [
      'a token that the service does not know',
      ['--url', refusing, ...TOKENS],
      /^The service refuses the token \(401\): /,
    ],
    [
      'one account',
      [...onWrong, '--accounts', 'own'],
      /^Expected --accounts to be two accounts, such as own,other, not own\.$/,
    ],
    ['the same account twice', [...onWrong, '--accounts', 'own,own'], /^Expected --accounts to be two accounts, /],
    ['an option twice', [...onWrong, '--url', wrong], /^Option '--url' is given twice; expected: /],
    [
      'tokens and no tokens',
      [...onWrong, '--without-tokens'],
      /^--without-tokens uses no --token-command and no --accounts\.$/,
    ],
    [
      'a file that cannot be written',
      [...onWrong, '--junit', '/dev/null/x.xml'],
      /^Cannot write \/dev\/null\/x\.xml: \w+\.$/,
    ],
  ];

  test.concurrent.each(calls)('%s', async (_, options, line) => {
    const { exitCode, stderr } = await run(...options);
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr.trim()).toMatch(line);
  });
});

test('a wrong service: each test fails and names its requests, also in JUnit, exit code 1', async () => {
  const junit = join(folder, 'reports', 'junit.xml');
  const { exitCode, stderr } = await run(...onWrong, '--junit', junit);
  expect(exitCode).toBe(1);
  const [, failed = '', total] = /^Tests: +(\d+) failed, (\d+) total$/m.exec(stderr) ?? [];
  expect([Number(failed) > 80, total]).toEqual([true, failed]);
  expect(stderr).toMatch(
    /● Values of fields › .+ \[CONTRACT §3\]\n[\s\S]*Last requests:\n( *\w+ \/v1\/.*: 404, .*\n)+/,
  );
  const xml = await readFile(junit, 'utf8');
  expect([xml.split('<testcase ').length - 1, xml.split('<failure>').length - 1]).toEqual([
    Number(failed),
    Number(failed),
  ]);
  expect(xml).toContain('classname="Values of fields" name="');
});

test('--bail: ends at the first file with a failure', async () => {
  const { exitCode, stderr } = await run(
    '--url',
    wrong,
    ...TOKENS,
    '--accounts',
    'own,other',
    '--only',
    'lists/',
    '--bail',
  );
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Test Suites: 1 failed, 1 of 2 total$/m);
});

test('--without-tokens: says that tests are skipped, and runs the tests that need no token', async () => {
  const { exitCode, stdout, stderr } = await run('--url', wrong, '--without-tokens', '--only', 'requests/');
  expect([exitCode, stdout]).toEqual([1, 'Tests that need tokens are skipped: --without-tokens\n']);
  expect(stderr).toMatch(/^Tests: +\d+ failed, \d+ skipped, \d+ total$/m);
});
