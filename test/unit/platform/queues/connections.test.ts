import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createSqsClient } from '#shared/platform/queues/queue.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { until } from '#test/support/waiting/until.ts';

const BEFORE = { ...process.env };

/** The responses wait for it. */
let released: Promise<void> = Promise.resolve();

const server = createServer(async (request, response) => {
  request.resume();
  await released;
  response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}');
});
let connections = 0;
server.on('connection', () => {
  connections += 1;
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'local' };
  Object.assign(process.env, keys, { AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${port}` });
});
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in BEFORE)) delete process.env[name];
  Object.assign(process.env, BEFORE);
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  connections = 0;
});

const list = (client: ReturnType<typeof createSqsClient>) => client.send(new ListQueuesCommand());

test('clients that send one after another to an http endpoint: share a connection', async () => {
  for (let i = 0; i < 5; i += 1) await list(createSqsClient());
  // A connection without a request ends after seconds.
  expect(connections).toBeLessThan(5);
});

test('a client that is destroyed: requests of other clients succeed at the first attempt', async () => {
  const [ended, other] = [createSqsClient(), createSqsClient()];
  await list(ended);
  const { promise, resolve } = Promise.withResolvers<void>();
  released = promise;
  const arrived = once(server, 'request');
  const running = list(other);
  await arrived;
  ended.destroy();
  resolve();
  expect((await running).$metadata.attempts).toBe(1);
});

deepTest('unused connections: closed after some seconds', async () => {
  await Promise.all([1, 2, 3].map(() => list(createSqsClient())));
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  expect(await open()).toBeGreaterThan(0);
  await until(async () => (await open()) === 0);
});
