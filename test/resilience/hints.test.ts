import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createSqsClient } from '#shared/platform/queues/queue.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';

/** A message to a worker is a hint, which the reconciler repeats: a request must not wait for SQS (CONTRACT §9). */

const BEFORE = process.env['AWS_ENDPOINT_URL_SQS'];
let server: Server;
let service: LocalService;
/** The requests that SQS has received and not answered. */
let requests = 0;

beforeAll(async () => {
  server = createServer((request) => {
    request.resume();
    requests += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env['AWS_ENDPOINT_URL_SQS'] = address;
  const urls = { EXPORTS_QUEUE_URL: `${address}/1/exports`, DELIVERIES_QUEUE_URL: `${address}/1/deliveries` };
  service = await startService(urls, { queues: createSqsClient() });
});
afterAll(async () => {
  if (BEFORE === undefined) delete process.env['AWS_ENDPOINT_URL_SQS'];
  else process.env['AWS_ENDPOINT_URL_SQS'] = BEFORE;
  server.closeAllConnections();
  server.close();
  await service.stop();
});
beforeEach(() => {
  requests = 0;
});

test('SQS does not answer: POST /exports and …/test are 202 after one attempt, which ends before the SDK’s limit of 3 s', async () => {
  const make = makers(service, { account: newAccount() });
  const job = await make.send('POST', '/v1/exports', { type: 'customers', format: 'csv' });
  expect([job.status, requests]).toEqual([202, 1]);
  expect((await make.get(`/v1/exports/${job.json.id}`)).status).toBe('pending');
  const { path } = await make.create('webhook-endpoints', { url: 'https://example.com/hooks' });
  const tested = await make.send('POST', `${path}/test`);
  expect([tested.status, requests]).toEqual([202, 2]);
});
