import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, test } from '@jest/globals';
import { SignatureV4 } from '@smithy/signature-v4';
import { startDynamo } from '#local/engines/dynamodb.ts';
import { guardDynamo } from '#local/engines/guards/dynamodb.ts';
import { createTables } from '#local/engines/tables.ts';
import { Sha256 } from '#shared/platform/workarounds/node-hmac-keys.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';

const KEYS = { accessKeyId: 'of-this-start', secretAccessKey: 'secret' };
const TYPE = 'application/x-amz-json-1.0';

const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = KEYS;
Object.assign(process.env, { AWS_REGION: 'local', AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
const engine = await startDynamo();
const guarded = await guardDynamo(engine, KEYS);
await createTables(guarded.endpoint);
const port = Number(new URL(guarded.endpoint).port);
afterAll(() => guarded.stop());

const client = (credentials = KEYS) =>
  new DynamoDBClient({ endpoint: guarded.endpoint, credentials, region: 'local', maxAttempts: 1 });

interface Options {
  readonly operation?: string;
  readonly body?: string;
  readonly host?: string;
  readonly keys?: typeof KEYS;
  readonly service?: string;
  readonly at?: number;
}

/** The bytes of a request that is signed, as by the AWS CLI, without a header for the body's hash. */
const signed = async (
  { operation = 'ListTables', body = '{}', host = `127.0.0.1:${port}`, ...options }: Options = {},
  unsigned: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const { keys = KEYS, service = 'dynamodb', at = 0 } = options;
  const signer = new SignatureV4({ credentials: keys, region: 'local', service, sha256: Sha256, applyChecksum: false });
  const target = `DynamoDB_20120810.${operation}`;
  const headers = { host, 'content-type': TYPE, 'x-amz-target': target };
  const request = { method: 'POST', protocol: 'http:', hostname: '', path: '/', query: {}, headers, body };
  const sent = await signer.sign(request, { signingDate: new Date(Date.now() + at * 1000) });
  const all = { ...sent.headers, 'content-length': String(Buffer.byteLength(body)), ...unsigned };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
};

const open = async (): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** Sends bytes piece by piece, and reads to the end of the connection. */
const exchange = async (...pieces: readonly string[]): Promise<string> => {
  const socket = await open();
  socket.setNoDelay(true);
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  return text(socket);
};

const CLOSE = { connection: 'close' };

test('a request that the SDK signs with the keys of this start: answered', async () => {
  const sdk = client();
  expect((await sdk.send(new ListTablesCommand({}))).TableNames).toContain('customers');
  const Item = { account_id: { S: 'acct_1' }, id: { N: '1' }, name: { S: 'x'.repeat(390_000) } };
  await sdk.send(new PutItemCommand({ TableName: 'customers', Item }));
  sdk.destroy();
});

test('a request signed as by the AWS CLI, without a hash of the body: answered', async () => {
  expect(await exchange(await signed({}, CLOSE))).toMatch(/^HTTP\/1.1 200 [\s\S]*"customers"/);
});

test('a request for the host name that containers use: answered', async () => {
  expect(await exchange(await signed({ host: `engines:${port}` }, CLOSE))).toMatch(/^HTTP\/1.1 200 /);
});

describe('the guard of the DynamoDB engine', () => {
  test.each([
    ['a request with an Origin', {}, { origin: 'https://a.test' }],
    ['a request with the Origin of a sandboxed page', {}, { origin: 'null' }],
    ['another host', { host: 'evil.test:80' }, {}],
    ['the right host with another port', { host: '127.0.0.1:1' }, {}],
    ['localhost, which the SDK is never given', { host: 'localhost' }, {}],
    ['another access key', { keys: { ...KEYS, accessKeyId: 'local' } }, {}],
    ['another secret key', { keys: { ...KEYS, secretAccessKey: 'local' } }, {}],
    ['a signature for another service', { service: 's3' }, {}],
    ['a signature of an hour ago', { at: -3600 }, {}],
    ['another operation than the signed one', {}, { 'x-amz-target': 'DynamoDB_20120810.DeleteTable' }],
    ['no signature', {}, { authorization: '' }],
  ] as [string, Options, Record<string, string>][])('%s: 403 without CORS headers', async (_, options, unsigned) => {
    const answer = await exchange(await signed(options, { ...CLOSE, ...unsigned }));
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
    expect(answer).not.toMatch(/access-control|TableNames/i);
  });

  test('a body other than the signed one: 403', async () => {
    const request = await signed({ operation: 'DeleteTable', body: '{"TableName":"customers"}' }, CLOSE);
    expect(await exchange(request.replace('customers', 'exchanges'))).toMatch(/^HTTP\/1.1 403 /);
  });

  test('a preflight: 403 without CORS headers', async () => {
    const headers = { origin: 'https://a.test', 'access-control-request-method': 'POST' };
    const { status, headers: answered } = await fetch(guarded.endpoint, { method: 'OPTIONS', headers });
    expect([status, answered.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test('a request with an Origin, after an accepted one on the same connection: 403', async () => {
    const answer = await exchange((await signed()) + (await signed({}, { ...CLOSE, origin: 'https://a.test' })));
    expect(answer).toMatch(/HTTP\/1.1 403 /);
  });
});

test('a client with other keys: InvalidAccessKeyId', async () => {
  const sdk = client({ ...KEYS, accessKeyId: 'local' });
  await expect(sdk.send(new ListTablesCommand({}))).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  sdk.destroy();
});

test('requests in many pieces, or several in one piece: answered in order', async () => {
  const one = await signed({ operation: 'DescribeTable', body: '{"TableName":"customers"}' });
  const two = await signed({ operation: 'DescribeTable', body: '{"TableName":"invoices"}' }, CLOSE);
  const whole = one + one + two;
  for (const pieces of [[whole], [...whole].map(String), [whole.slice(0, 100), whole.slice(100)]]) {
    const answers = [...(await exchange(...pieces)).matchAll(/"TableName":"(\w+)"/g)].map(([, name]) => name);
    expect(answers).toEqual(['customers', 'customers', 'invoices']);
  }
});

test.each([
  ['headers without an end', 'a'.repeat(70_000)],
  ['a body without a length', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a body that is too long', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 18000000\r\n\r\n'],
  ['a header given twice', 'POST / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'],
  ['a header without a name', 'POST / HTTP/1.1\r\nhost: x\r\n : y\r\n\r\n'],
])('%s: 400', async (_, bytes) => {
  expect(await exchange(bytes)).toMatch(/^HTTP\/1.1 400 /);
});

test('a client that disconnects halfway: the next request is answered', async () => {
  const socket = await open();
  socket.write((await signed()).slice(0, 50));
  socket.resetAndDestroy();
  expect(await exchange(await signed({}, CLOSE))).toMatch(/^HTTP\/1.1 200 /);
});

testOnDynoxide('the engine behind the guard: not reachable at 127.0.0.1', async () => {
  const { hostname, port: own } = new URL(engine.endpoint);
  // Only Linux has other addresses of the loopback; elsewhere only the port is random.
  if (process.platform === 'linux') expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
  if (process.platform === 'linux') await expect(fetch(`http://127.0.0.1:${own}`)).rejects.toThrow();
});

test('a stopped engine: its connections are closed', async () => {
  const stopping = await guardDynamo(await startDynamo(), KEYS);
  const socket = connect(Number(new URL(stopping.endpoint).port), '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  await stopping.stop();
  await ended;
  await expect(fetch(stopping.endpoint)).rejects.toThrow();
});
