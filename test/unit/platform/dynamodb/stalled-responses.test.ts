import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { createSqsClient, Queue } from '#shared/platform/queues/queue.ts';
import { type Chunk, readRows } from '#shared/platform/store/rows.ts';
import '#test/support/engine/credentials.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';

const HEADERS = { 'content-type': 'application/x-amz-json-1.0', 'content-length': '1000' };

/** Runs `act` at a server whose first responses stop in the middle of their body; returns the number of requests. */
const withStalls = async (stalls: number, body: object, act: (endpoint: string) => Promise<void>): Promise<number> => {
  let requests = 0;
  const text = JSON.stringify(body).padEnd(1000);
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, HEADERS);
    if (++requests > stalls) response.end(text);
    else response.write(text.slice(0, 5));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return requests;
};

const dynamoAt = (endpoint: string) => {
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  return createDynamoClient();
};
const get = new GetCommand({ TableName: 'invoices', Key: { account_id: 'a', id: 1 } });

deepTest.each([
  [1, { Item: { id: 1 } }, 2],
  [3, { code: 'unavailable' }, 3],
])('DynamoDB stops in the middle of %i responses: %j after %i requests', async (stalls, expected, requests) => {
  const sent = withStalls(stalls, { Item: { id: { N: '1' } } }, async (endpoint) => {
    const client = dynamoAt(endpoint);
    expect(await client.send(get).catch((error) => error)).toMatchObject(expected);
    client.destroy();
  });
  expect(await sent).toBe(requests);
});

deepTest('DynamoDB stops in the middle of a page of rows: the page is requested again [CONTRACT §9]', async () => {
  const sent = withStalls(1, { Items: [{ id: { N: '7' } }] }, async (endpoint) => {
    const client = dynamoAt(endpoint);
    const context = { client, tableNames: { invoices: 'invoices' } } as unknown as DynamoContext;
    const range = { from: 0, before: 10, filter: {}, attributes: ['id'] };
    const chunks: Chunk[] = [];
    for await (const chunk of readRows(context, { ...tables.invoices, name: 'invoices' }, 'a', range))
      chunks.push(chunk);
    client.destroy();
    expect(chunks).toEqual([{ rows: [{ id: 7 }], after: 9 }]);
  });
  expect(await sent).toBe(2);
});

deepTest('SQS stops in the middle of a response: the message is sent again', async () => {
  const body = { account_id: 'a', export_id: 1 };
  // The SDK verifies it.
  const MD5OfMessageBody = createHash('md5').update(JSON.stringify(body)).digest('hex');
  const sent = withStalls(1, { MessageId: 'm', MD5OfMessageBody }, async (endpoint) => {
    process.env['AWS_ENDPOINT_URL_SQS'] = endpoint;
    const client = createSqsClient();
    await new Queue(client, `${endpoint}/000000000000/exports`).send({ body }, Date.now() + 10_000);
    client.destroy();
  });
  expect(await sent).toBe(2);
});
