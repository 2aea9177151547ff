import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { createTables } from '#local/engines/tables.ts';
import { readStream } from '#local/workers/stream.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { until } from '#test/support/waiting/until.ts';

/** The ids of the inserts that a function gets. */
const read = (endpoint: string) => {
  const ids: string[] = [];
  const invoke = async ({ Records }: DynamoDBStreamEvent) => {
    ids.push(...Records.map(({ dynamodb }) => String(dynamodb?.Keys?.['id']?.N)));
  };
  const task = readStream({ AWS_ENDPOINT_URL_DYNAMODB: endpoint }, 'outbox', invoke);
  return { ids, task };
};

testOnDynoxide('an insert into the table: the function is invoked with it; deletions are left out', async () => {
  const engine = await startTestDynamo();
  await createTables(engine.endpoint);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: engine.endpoint }));
  const { ids, task } = read(engine.endpoint);
  const put = (id: number) => client.send(new PutCommand({ TableName: 'outbox', Item: { account_id: 'acct_1', id } }));
  // The function gets the inserts from the moment at which the stream is open.
  let earlier = 100;
  await until(async () => {
    earlier += 1;
    await put(earlier);
    return ids.length > 0;
  });
  for (const id of [1, 2]) {
    await put(id);
    await client.send(new DeleteCommand({ TableName: 'outbox', Key: { account_id: 'acct_1', id } }));
  }
  await until(() => ids.includes('2'));
  await task.stop(1000);
  client.destroy();
  await engine.stop();
  const first = Number(ids[0]);
  const inserted = Array.from({ length: earlier - first + 1 }, (_, i) => String(first + i));
  expect(ids).toEqual([...inserted, '1', '2']);
});

test('shards that are closed: the shards that replace them are read', async () => {
  let shard = 1;
  const answers: Readonly<Record<string, () => object>> = {
    ListStreams: () => ({ Streams: [{ StreamArn: 'arn' }] }),
    DescribeStream: () => ({ StreamDescription: { Shards: [{ ShardId: `shard-${shard}` }] } }),
    GetShardIterator: () => ({ ShardIterator: `iterator-${shard}` }),
    // Each shard has one record, and is then closed.
    GetRecords: () => ({ Records: [{ eventName: 'INSERT', dynamodb: { Keys: { id: { N: String(shard++) } } } }] }),
  };
  const server = createServer((request, response) => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    request.resume().on('end', () => response.end(JSON.stringify(answers[operation]?.())));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { ids, task } = read(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await until(() => ids.length >= 2);
  await task.stop(1000);
  server.close();
  server.closeAllConnections();
  expect(ids.slice(0, 2)).toEqual(['1', '2']);
});
