import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createClient } from '#client/source/index.ts';
import { freeAddress } from '#local/cli/free-address.ts';
import { freePort, type RunningCommand, run, runOnTerminal, runToEnd } from '#test/local/command.ts';
import { startServer } from '#test/local/server.ts';
import { withoutTimers } from '#test/local/timers.ts';
import {
  type Behavior,
  behaviors,
  type Receiver,
  respond,
  startReceiver,
} from '#test/support/receivers/webhook-receivers.ts';
import { until } from '#test/support/waiting/until.ts';

let url: string;
const listeners: RunningCommand[] = [];
const receivers: Receiver[] = [];

/** No scheduled worker runs again, so the commit itself causes the webhook. */
const server = await startServer(withoutTimers(60_000));
({ url } = server);
const environment = { DATA_DIR: server.directory };
const client = createClient({ baseUrl: url, token: server.token });
afterEach(async () => {
  for (const { child } of listeners.splice(0)) child.kill('SIGKILL');
  for (const receiver of receivers.splice(0)) await receiver.close();
  for await (const { id } of client.webhookEndpoints.list()) await client.webhookEndpoints.delete(id);
});
afterAll(() => server.stop());

const commandOf = (...args: readonly string[]) => {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  return ['local/listen.ts', '--url', url, ...port, ...args];
};

/** Starts `npm run listen`, and waits until its endpoint exists. */
const listen = async (...args: readonly string[]) => started(run(server.root, commandOf(...args), environment));

const started = async (command: RunningCommand) => {
  listeners.push(command);
  await command.untilPrinted(/secret whsec_.*\n/, 'stderr');
  const pattern =
    /^Listening to the events of (\S+) at (\S+)\. Ctrl-C ends it\.\nwebhook endpoint (\d+), secret (\S+)\n$/;
  const [, account = '', address = '', id = '', secret = ''] = pattern.exec(command.out.stderr) ?? [];
  return { ...command, account, address, id: Number(id), secret };
};

const receive = async (behavior: Behavior): Promise<Receiver> => {
  const receiver = await startReceiver(behavior);
  receivers.push(receiver);
  return receiver;
};

const ADMIN = ['--sub', 'user_2', '--role', 'admin'];

const endpoints = async () => (await client.webhookEndpoints.list()).data;

test('npm run listen: one line for each event, soon after its commit [CONTRACT §15]', async () => {
  const listener = await listen();
  expect(await endpoints()).toMatchObject([{ id: listener.id, url: listener.address, status: 'enabled' }]);
  const { id } = await client.customers.create({ name: 'Ada' });
  await listener.untilPrinted('customer.created');
  await client.customers.patch(id, { name: 'Ada King', email: 'ada@example.com' });
  await listener.untilPrinted('customer.updated');
  const lines = listener.out.stdout.trimEnd().split('\n');
  const time = /^\d\d:\d\d:\d\d\.\d{3} #\d+ /;
  expect(lines.map((line) => line.replace(time, ''))).toEqual([
    `customer.created  customer ${id}  version 1  by user_1`,
    `customer.updated  customer ${id}  version 2  changed email, name  by user_1`,
  ]);
  for (const line of lines) expect(line).toMatch(time);
});

test('a test of the endpoint: a line without a sequence; a request that the service has not signed: rejected', async () => {
  const listener = await listen();
  await client.webhookEndpoints.test(listener.id);
  await listener.untilPrinted(/ #– webhook\.test /);
  const response = await fetch(`${listener.address}/x`, { method: 'POST', body: '{}' });
  expect([response.status, await response.text()]).toEqual([
    400,
    'invalid-webhook: the header webhook-id is missing\n',
  ]);
  await listener.untilPrinted('Rejected POST /x: invalid-webhook: the header webhook-id is missing\n', 'stderr');
  expect(listener.out.stdout.trimEnd().split('\n').length).toBe(1);
});

test('--forward: the same signed request, and the status in the line; a failure is not repeated', async () => {
  const receiver = await receive(respond(503));
  const listener = await listen('--forward', `${receiver.url}/hooks?a=1`);
  const { id } = await client.customers.create({ name: 'Ada' });
  await listener.untilPrinted(`customer ${id}  version 1  by user_1  → 503\n`);
  const [{ method, path, headers, body } = { method: '', path: '', headers: {}, body: '' }] = receiver.requests;
  expect([method, path, headers['content-type']]).toEqual(['POST', '/hooks?a=1', 'application/json']);
  const verified = new Webhook(listener.secret).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({ resource_id: id });
  const delivery = async () => (await client.webhookDeliveries.list({ webhook_endpoint_id: listener.id })).data[0];
  await until(async () => (await delivery())?.status !== 'pending');
  expect(await delivery()).toMatchObject({ status: 'succeeded', attempts: 1, response_status: 204 });
  await receivers.pop()?.close();
  await client.customers.delete(id);
  await listener.untilPrinted(/customer\.deleted .* → fetch failed: .*ECONNREFUSED.*\n/);
  expect(receiver.requests.length).toBe(1);
});

test('--account: only the events of that account', async () => {
  const listener = await listen('--account', 'acct_2');
  expect(listener.account).toBe('acct_2');
  expect(await endpoints()).toEqual([]);
  await client.customers.create({ name: 'Ada' });
  const { stdout: token } = await runToEnd(
    server.root,
    ['local/token.ts', '--account', 'acct_2', ...ADMIN],
    environment,
  );
  const { id } = await createClient({ baseUrl: url, token: token.trim() }).customers.create({ name: 'Bob' });
  await listener.untilPrinted('\n');
  expect(listener.out.stdout).toMatch(new RegExp(`^\\S+ #\\d+ customer.created {2}customer ${id} .*\n$`));
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s: deletes the endpoint, and the exit code is 0',
  async (signal) => {
    const listener = await listen();
    expect((await endpoints()).length).toBe(1);
    listener.child.kill(signal);
    expect(await listener.end()).toBe(0);
    expect(await endpoints()).toEqual([]);
  },
);

test('standard input is a pipe that ends: deletes the endpoint, and the exit code is 0', async () => {
  const listener = await started(run(server.root, commandOf(), environment, process.execPath, 'pipe'));
  const { id } = await client.customers.create({ name: 'Ada' });
  listener.child.stdin?.write('ignored\n');
  await listener.untilPrinted(`customer ${id} `);
  listener.child.stdin?.end();
  expect(await listener.end()).toBe(0);
  expect(await endpoints()).toEqual([]);
});

test('a closed terminal: deletes the endpoint', async () => {
  const terminal = runOnTerminal(server.root, commandOf(), environment);
  await terminal.untilPrinted(/secret whsec_/);
  expect((await endpoints()).length).toBe(1);
  terminal.child.kill('SIGKILL');
  await until(async () => (await endpoints()).length === 0);
});

test('a start after a kill, with the same port: deletes the endpoint of the killed process, and no other', async () => {
  const port = ['--port', String(await freePort())];
  const killed = await listen(...port);
  killed.child.kill('SIGKILL');
  await killed.end();
  const running = await listen();
  const { id } = await client.webhookEndpoints.create({ url: killed.address, description: 'Of a developer' });
  const next = await listen(...port);
  expect(next.address).toBe(killed.address);
  expect((await endpoints()).map((endpoint) => endpoint.id)).toEqual([running.id, id, next.id]);
});

test('SIGTERM while the endpoint is being created: no endpoint remains', async () => {
  const command = run(server.root, commandOf(), environment);
  await until(async () => command.child.exitCode !== null || (await endpoints()).length > 0);
  command.child.kill('SIGTERM');
  expect(await command.end()).toBe(0);
  expect(await endpoints()).toEqual([]);
});

const failure = async (args: readonly string[], variables = {}) => {
  const { code, stdout, stderr } = await runToEnd(server.root, ['local/listen.ts', ...args], {
    ...environment,
    ...variables,
  });
  return { code, stdout, stderr };
};

test('no service, a port in use, another DATA_DIR: one line with the remedy, exit code 1, and no endpoint', async () => {
  const { host, port: unused } = await freeAddress();
  const nowhere = `http://${host}:${unused}`;
  expect(await failure(['--url', nowhere, '--port', '0'])).toEqual({
    code: 1,
    stdout: '',
    stderr: `No service runs at ${nowhere}. Start it with npm start, or name its address with --url.\n`,
  });
  const { port } = await receive(behaviors.ok);
  expect(await failure(['--url', url, '--port', String(port)])).toMatchObject({
    code: 1,
    stderr: `Port ${port} is in use. Choose another one with --port, or 0 for a free one.\n`,
  });
  expect(await failure(['--url', url, '--port', '0'], { DATA_DIR: `${server.root}/elsewhere` })).toMatchObject({
    code: 1,
    stderr: `The service at ${url} does not accept the token: use the DATA_DIR of npm start.\n`,
  });
  expect(await endpoints()).toEqual([]);
});

test('an account with 20 endpoints: one line that states the limit [CONTRACT §15]', async () => {
  const receiver = await receive(behaviors.ok);
  for (let i = 0; i < 20; i += 1)
    await client.webhookEndpoints.create({ url: receiver.url, event_types: ['refund.created'] });
  expect(await failure(['--url', url, '--port', '0'])).toMatchObject({
    code: 1,
    stderr:
      'The account has 20 webhook endpoints, which is the maximum. Delete one, or choose another account with --account.\n',
  });
});

test('an account above its budget: one line that states how long to wait [CONTRACT §16]', async () => {
  const refusing = createServer((_, response) => {
    const detail = 'The account has used its budget: 100 a second, and 1000 at once.';
    const problem = { type: '/problems/too-many-requests', status: 429, code: 'too-many-requests', detail };
    response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3' });
    response.end(JSON.stringify(problem));
  });
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  const { port } = refusing.address() as AddressInfo;
  const ended = await failure(['--url', `http://127.0.0.1:${port}`, '--port', '0']);
  refusing.close();
  expect(ended).toMatchObject({
    code: 1,
    stderr: 'The account has used its budget: 100 a second, and 1000 at once. Try again in 3 s.\n',
  });
});

test.each([
  ['a port that is no number', ['--port', 'x'], '--port must be a number from 0 to 65535, not "x".'],
  ['a forward address without a scheme', ['--forward', 'localhost:8080'], 'Expected --forward to be an http or https'],
  ['an address of another kind', ['--url', 'ftp://a.test'], 'Expected --url to be an http or https URL'],
  ['a malformed account', ['--account', 'a b'], 'Expected --account to be an account id'],
  ['an unknown option', ['--prot', '1'], "Unknown option '--prot'; expected: [--port <port>]"],
])('%s: one line, and exit code 2', async (_, args, message) => {
  const { code, stdout, stderr } = await failure(args);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 });
  expect(stderr).toContain(message);
});

test('--help: prints every option', async () => {
  const { code, stdout } = await failure(['--help']);
  expect(code).toBe(0);
  for (const word of ['--port', '--forward', '--account', '--url', 'Ctrl-C']) expect(stdout).toContain(word);
});
