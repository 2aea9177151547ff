import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { type RunningCommand, run, runOnTerminal, runToEnd } from '#test/local/command.ts';
import { npmStart } from '#test/local/npm-start.ts';
import { enginesOf, enginesOn, survivors } from '#test/local/processes.ts';
import { withoutTimers } from '#test/local/timers.ts';
import { until } from '#test/support/waiting/until.ts';

let copy: Checkout;
let PORT: string;
let DATA_DIR: string;
let server: RunningCommand;

beforeAll(async () => {
  copy = await checkout();
  DATA_DIR = `${copy.root}/data`;
  server = await start();
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.end();
  await copy.remove();
});

/** The grace period of a stop. In these tests it takes weeks, so that a stop must not depend on its end. */
const GRACE_MS = 3000;

const portOf = ({ out }: RunningCommand): string =>
  /^ready http:\/\/127\.0\.0\.1:(\d+)\n/.exec(out.stdout)?.[1] as string;

/** Starts the server at a free port. */
const start = async (): Promise<RunningCommand> => {
  const started = run(copy.root, [...withoutTimers(GRACE_MS), 'local/start.ts'], { PORT: '0', DATA_DIR });
  await started.untilPrinted(/curl .*\n/);
  PORT = portOf(started);
  return started;
};

const url = (path: string) => `http://127.0.0.1:${PORT}${path}`;

test('npm start: prints one ready line, then a curl line that works unchanged [CONTRACT §1]', async () => {
  const [ready, curl, ...rest] = server.out.stdout.split('\n');
  expect(ready).toBe(`ready http://127.0.0.1:${PORT}`);
  expect(rest).toEqual(['']);
  const [, address = '', header = ''] = /^curl (\S+) -H 'Authorization: (.*)'$/.exec(curl ?? '') ?? [];
  expect((await fetch(address, { headers: { authorization: header } })).status).toBe(200);
  expect(curl?.length).toBeLessThan(420);
});

/** The standard error of the server after the ready line. */
const HINTS =
  /^docs http:\/\/127\.0\.0\.1:(\d+)\/docs\nevents npm run listen -- --url http:\S+\nDynamoDB (http:\S+) \(keys: (\S+)\)\n$/;

test('npm start: names the documentation, the command for events and the database', async () => {
  await server.untilPrinted('keys: ', 'stderr');
  const [, port, endpoint = '', keys = ''] = HINTS.exec(server.out.stderr) ?? [];
  expect([port, keys]).toEqual([PORT, 'data/engines.env']);
  const script = `. ./${keys}; printf %s "$AWS_ENDPOINT_URL_DYNAMODB"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: copy.root });
  expect(stdout).toBe(endpoint);
});

test('a request: prints nothing, or a line at log level INFO', async () => {
  await fetch(url('/health'));
  expect(server.out.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(server.out.stderr).toMatch(/keys: \S+\n$/);
  const more = { PORT: '0', DATA_DIR: ':memory:', POWERTOOLS_LOG_LEVEL: 'INFO' };
  const logging = run(copy.root, ['local/start.ts'], more);
  await logging.untilPrinted('curl ');
  await fetch(`http://127.0.0.1:${portOf(logging)}/health`);
  await logging.untilPrinted(/"message":"request".*"route":"GET \/health".*"status":200/);
  logging.child.kill('SIGTERM');
  await logging.end();
});

test('a request on a terminal: one colored line with method, path, status, time, account and units', async () => {
  const terminal = runOnTerminal(copy.root, ['local/start.ts'], {
    PORT: '0',
    DATA_DIR: ':memory:',
    // The counter of the account's limit reads and writes at random requests.
    RATE_LIMIT_PER_SECOND: '0',
  });
  await terminal.untilPrinted('keys: ');
  const [, url = '', token = ''] = /ready (\S+)\s+curl .*Bearer ([^']+)'/.exec(terminal.out.stdout) ?? [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await fetch(`${url}/v1/customers`, { method: 'POST', headers, body: '{"name":"Ada"}' });
  await fetch(`${url}/v1/invoices/1?fields=id`, { headers });
  await terminal.untilPrinted('/v1/invoices/1');
  const lines = terminal.out.stdout.split(/\r?\n/).filter((line) => / ms/.test(line));
  expect(lines.map((line) => line.replace(/[\d.]+ ms/, '<time>'))).toEqual([
    '\u001b[1mPOST\u001b[22m /v1/customers \u001b[32m201\u001b[39m \u001b[2m<time>  acct_1  4 WRU\u001b[22m',
    '\u001b[1mGET\u001b[22m /v1/invoices/1?fields=id \u001b[33m404 not-found\u001b[39m \u001b[2m<time>  acct_1  1 RRU\u001b[22m',
  ]);
  terminal.child.kill('SIGTERM');
  await terminal.end();
});

test('/docs/tokens.json: tokens of both demo accounts, which work and which no other site may read', async () => {
  const answer = await fetch(url('/docs/tokens.json'), { headers: { origin: 'https://elsewhere.test' } });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  const tokens = (await answer.json()) as { name: string; token: string }[];
  expect(tokens.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['acct_1, admin', 'acct_1, viewer', 'acct_2, admin']),
  );
  for (const { token } of tokens) {
    const { status } = await fetch(url('/v1/invoices'), { headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(200);
  }
});

test('/.well-known/jwks.json: public keys of the issuer and the docs page; another method: 405 [CONTRACT §4]', async () => {
  const { keys } = (await (await fetch(url('/.well-known/jwks.json'))).json()) as { keys: object[] };
  expect(keys).toMatchObject(Array(2).fill({ kty: 'EC', alg: 'ES256', kid: expect.any(String) }));
  for (const key of keys) expect(key).not.toHaveProperty('d');
  const head = await fetch(url('/.well-known/jwks.json'), { method: 'HEAD' });
  expect([head.status, Number(head.headers.get('content-length'))]).toEqual([200, expect.any(Number)]);
  const post = await fetch(url('/.well-known/jwks.json'), { method: 'POST' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('no dynoxide and no Java: one message has the commands for Java, Docker and a binary', async () => {
  const bare = await checkout(true);
  const environment = { PORT: '0', DATA_DIR: ':memory:', JAVA_HOME: '/nonexistent' };
  const { code, stdout, stderr } = await runToEnd(bare.root, ['local/start.ts'], environment);
  await bare.remove();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^No embedded DynamoDB runs here: [^\n]*Java 17 or newer[^\n]*:\n {2}Java +\S/);
  expect(stderr).toMatch(/^ {2}Docker +docker run .* amazon\/dynamodb-local .*-sharedDb$/m);
  expect(stderr).toMatch(/^ +AWS_ENDPOINT_URL_DYNAMODB=http:\/\/127\.0\.0\.1:8000 npm start$/m);
  expect(stderr).toMatch(/^ {2}dynoxide +DYNOXIDE_BIN=\S+ npm start$/m);
});

test.each([
  ['an unknown option', ['--wach'], {}, 2, "Unknown option '--wach'; expected: npm start -- [--seed] [--help]"],
  ['an invalid port', [], { PORT: 'http' }, 2, 'PORT must be a number from 0 to 65535, not "http".'],
  [
    'demo data for another issuer',
    ['--seed'],
    { JWKS_URL: 'https://issuer.test/keys' },
    2,
    '--seed needs tokens of the local issuer: unset JWKS_URL.',
  ],
  [
    'an engine that does not exist',
    [],
    { DATA_DIR: ':memory:', DYNOXIDE_BIN: '/nonexistent' },
    1,
    'DYNOXIDE_BIN=/nonexistent is not an executable file.',
  ],
])('%s: one line states the cause, and the exit code', async (_, args, environment, expected, message) => {
  const all = { PORT: '0', DATA_DIR, ...environment };
  const { code, stdout, stderr } = await runToEnd(copy.root, ['local/start.ts', ...args], all);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: expected, stdout: '', lines: 2 });
  expect(stderr).toContain(message);
});

test('a port in use: one line names it, and nothing is started', async () => {
  const elsewhere = `${copy.root}/elsewhere`;
  const { stdout, ...ended } = await runToEnd(copy.root, ['local/start.ts'], { PORT, DATA_DIR: elsewhere });
  const stderr = `Port ${PORT} is in use. Set PORT to another port, or to 0 for a free one.\n`;
  expect([stdout, ended]).toMatchObject(['', { code: 1, stderr }]);
  expect(await enginesOn(elsewhere)).toEqual([]);
});

test('--help: prints the usage, and starts nothing', async () => {
  const { code, stdout, stderr } = await runToEnd(copy.root, ['local/start.ts', '--help'], { PORT, DATA_DIR });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const word of ['--seed', 'PORT', 'DATA_DIR']) expect(stdout).toContain(word);
});

test.each([
  ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
  ['SIGTERM to npm alone', (pid: number) => process.kill(pid, 'SIGTERM')],
])('%s during npm start: stops the server and its engine, and the exit code is 0', async (_, signal) => {
  await npmStart(copy.root, { PORT: '0', DATA_DIR: ':memory:' }, async ({ pid = 0, stdout }, end) => {
    await new Promise<void>((resolve) => stdout?.on('data', (text) => String(text).includes('curl ') && resolve()));
    const engines = await enginesOf(pid);
    expect(engines.length).toBe(1);
    signal(pid);
    expect(await end).toBe(0);
    expect(await survivors(engines)).toEqual([]);
  });
});

test('npm start with an invalid setting: npm ends with the exit code of the server', async () => {
  await npmStart(copy.root, { PORT: 'http' }, async ({ stdout }, end) => {
    stdout?.resume();
    expect(await end).toBe(2);
  });
});

test('an old version of Node: one line names it', async () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.1.0"}})';
  for (const args of [['--import', './local/cli/node-version.mjs', 'local/start.ts'], ['local/cli/node-version.mjs']]) {
    const { code, stderr } = await runToEnd(copy.root, ['--import', old, ...args], { PORT: '0', DATA_DIR });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Node 24 or newer is required; this is Node 22.1.0. Install it from https://nodejs.org.\n',
    });
  }
});

test('SIGINT with nothing to finish: exit code 0 at once', async () => {
  server.child.kill('SIGINT');
  expect(await server.end()).toBe(0);
  server = await start();
});

test('SIGTERM: answers the request in flight, stops the engine and exits with 0', async () => {
  const engines = await enginesOf(server.pid);
  const half = connect(Number(PORT), '127.0.0.1');
  half.write(`POST /v1/invoices HTTP/1.1\r\nHost: 127.0.0.1:${PORT}\r\nContent-Length: 2\r\n\r\n{`);
  let answer = '';
  half.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  await once(half, 'connect');
  // The server reads this request after the other request, and refuses connections once it stops.
  expect((await fetch(url('/health'))).status).toBe(200);
  server.child.kill('SIGTERM');
  await until(() =>
    fetch(url('/health')).then(
      () => false,
      () => true,
    ),
  );
  half.write('}');
  expect(await server.end()).toBe(0);
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(await survivors(engines)).toEqual([]);
  expect(server.out.stderr).toMatch(HINTS);
});
