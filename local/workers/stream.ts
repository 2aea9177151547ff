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

/** Invokes a function for the inserts into a table from now on. A table without a stream gives none. */
export const readStream = (environment: NodeJS.ProcessEnv, table: string, invoke: Invoke): RunningTask => {
  const client = new DynamoDBStreamsClient({ endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] as string });
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        for (let iterators = await openShards(client, table); !signal.aborted; await wait(PAUSE_MS)) {
          iterators = await Promise.all(iterators.map((iterator) => readShard(client, iterator, invoke)));
        }
      } catch (error) {
        if (!signal.aborted) console.error(`Cannot read the stream of ${table}; the next attempt follows:`, error);
        await wait(RETRY_MS);
      }
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

const openShards = async (client: DynamoDBStreamsClient, TableName: string): Promise<(string | undefined)[]> => {
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName }));
  const StreamArn = Streams.at(-1)?.StreamArn;
  if (!StreamArn) return [];
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }));
  const iterators = (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
    const from = { StreamArn, ShardId, ShardIteratorType: 'LATEST' as const };
    return (await client.send(new GetShardIteratorCommand(from))).ShardIterator;
  });
  return Promise.all(iterators);
};

/** @returns the iterator of the next read; undefined at the end of a closed shard */
const readShard = async (
  client: DynamoDBStreamsClient,
  ShardIterator: string | undefined,
  invoke: Invoke,
): Promise<string | undefined> => {
  if (!ShardIterator) return undefined;
  const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator }));
  const inserts = Records.filter(({ eventName }) => eventName === 'INSERT');
  if (inserts.length > 0) await invoke({ Records: inserts } as DynamoDBStreamEvent);
  return NextShardIterator;
};
