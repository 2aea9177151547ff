import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import { ROOT } from '#local/settings/settings.ts';
import { runToEnd } from '#test/local/command.ts';

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

test.concurrent.each([
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
    'a token that the service does not know',
    ['--url', refusing, ...TOKENS],
    /^The service refuses the token \(401\): /,
  ],
] as const)('%s: one line on standard error, and exit code 2', async (_, options, line) => {
  const { exitCode, stderr } = await run(...options);
  expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
  expect(stderr.trim()).toMatch(line);
});

test('a wrong service: each test fails and names its requests, also in JUnit, exit code 1', async () => {
  const junit = join(folder, 'reports', 'junit.xml');
  const { exitCode, stderr } = await run(...onWrong, '--junit', junit);
  expect(exitCode).toBe(1);
  const [, failed = '', total] = /^Tests: +(\d+) failed, (\d+) total$/m.exec(stderr) ?? [];
  expect([Number(failed) > 50, total]).toEqual([true, failed]);
  expect(stderr).toMatch(
    /● Amounts and currencies › .+ \[CONTRACT §\d+\]\n[\s\S]*Last requests:\n( *\w+ \/v1\/.*: 404, .*\n)+/,
  );
  const xml = await readFile(junit, 'utf8');
  expect([xml.split('<testcase ').length - 1, xml.split('<failure>').length - 1]).toEqual([
    Number(failed),
    Number(failed),
  ]);
  expect(xml).toContain('classname="Amounts and currencies" name="');
});

test('--without-tokens: says that tests are skipped, and runs those that need no token', async () => {
  const { exitCode, stdout, stderr } = await run('--url', wrong, '--without-tokens', '--only', 'requests/');
  const [skipped] = stdout.split('Running one project: acceptance\n');
  expect([exitCode, skipped]).toEqual([1, 'Tests that need tokens are skipped: --without-tokens\n']);
  expect(stderr).toMatch(/^Tests: +\d+ failed, \d+ skipped, \d+ total$/m);
});

test('the token command of a deployment: asks the issuer for a token of the client, and prints no response that is none', async () => {
  const access_token = new UnsecuredJWT({ scope: 'customers:write customers:read' }).encode();
  const requests: string[] = [];
  const issuer = createServer(async (request, response) => {
    requests.push(`${request.headers.authorization} ${await buffer(request)}`);
    const isKnown = requests.length === 1;
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? { access_token } : { hint: 's:cret' }));
  }).listen(0, '127.0.0.1');
  servers.push(issuer);
  await once(issuer, 'listening');
  const TOKEN_URL = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/token`;
  const environment = { TOKEN_URL, CLIENT_ID: 'me', CLIENT_SECRET: 's:cret', TOKEN_AUDIENCE: 'x' };
  const args = ['--account', 'own', '--sub', 'user_1', '--scope', 'customers:read customers:write'];
  const ask = () => runToEnd(ROOT, ['test/acceptance/client-token.ts', ...args], environment);
  expect(await ask()).toMatchObject({ code: 0, stdout: `${access_token}\n` });
  const body = 'grant_type=client_credentials&scope=customers%3Aread+customers%3Awrite&audience=x';
  expect(requests).toEqual([`Basic ${btoa('me:s%3Acret')} ${body}`]);
  const refused = { code: 1, stdout: '', stderr: 'The issuer returned no token (status 401).\n' };
  expect(await ask()).toMatchObject(refused);
});
