import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { RunningTask } from './poller.ts';

/** Lambda reads a stream four times a second. */
const PAUSE_MS = 250;
const RETRY_MS = 1000;

type Invoke = (event: DynamoDBStreamEvent) => Promise<void>;

/** Invokes a function for the inserts into a table from now on. A table without a stream causes no invocation. */
export const readStream = (environment: NodeJS.ProcessEnv, table: string, invoke: Invoke): RunningTask => {
  const client = new DynamoDBStreamsClient({ endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] as string });
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await readShards(client, await openShards(client, table), invoke, signal);
      } catch (error) {
        if (!signal.aborted) console.error(`Cannot read the stream of ${table}; the next attempt follows:`, error);
      }
      await wait(RETRY_MS, signal);
    }
  };

  const running = run();
  return {
    async stop(graceMs) {
      stopping.abort();
      await Promise.race([running, sleep(graceMs, undefined, { ref: false })]);
      client.destroy();
    },
  };
};

const openShards = async (client: DynamoDBStreamsClient, TableName: string): Promise<string[]> => {
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName }));
  const StreamArn = Streams.at(-1)?.StreamArn;
  if (!StreamArn) return [];
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const iterators = (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
    const from = { StreamArn, ShardId, ShardIteratorType: 'LATEST' as const };
    return (await client.send(new GetShardIteratorCommand(from))).ShardIterator;
  });
  return (await Promise.all(iterators)).filter((iterator) => iterator !== undefined);
};

const wait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/** Reads shards until all shards are closed: DynamoDB replaces a shard after some hours. */
const readShards = async (
  client: DynamoDBStreamsClient,
  shards: readonly string[],
  invoke: Invoke,
  signal: AbortSignal,
): Promise<void> => {
  for (let open = shards; open.length > 0 && !signal.aborted; await wait(PAUSE_MS, signal)) {
    const next = await Promise.all(open.map((iterator) => readShard(client, iterator, invoke)));
    open = next.filter((iterator) => iterator !== undefined);
  }
};

/** @returns the iterator of the next read; undefined at the end of a closed shard */
const readShard = async (
  client: DynamoDBStreamsClient,
  ShardIterator: string,
  invoke: Invoke,
): Promise<string | undefined> => {
  const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator }));
  const inserts = Records.filter(({ eventName }) => eventName === 'INSERT');
  if (inserts.length > 0) await invoke({ Records: inserts } as DynamoDBStreamEvent);
  return NextShardIterator;
};
