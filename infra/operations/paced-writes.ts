import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { Pace } from '#shared/platform/store/pace.ts';
import type { Deployment } from './deployment.ts';
import { inTurn } from './paced-reads.ts';

/** Puts and deletes of one table. */
export type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** DynamoDB's maximum for BatchWriteItem. */
const MAX_BATCH = 25;

/** The write units of a partition in a second. */
export const PARTITION_WRITE_UNITS = 1000;

/**
 * Puts and deletes many rows: each batch waits until half of the write units of a partition has paid for the last
 * batch. The rows of one account are in one partition of the table and of each index. A write uses at most as many
 * units of an index as of the table, so only the units of the table count.
 */
export class PacedWrites {
  readonly #dynamo: Deployment['dynamo'];
  readonly #pace: Pace;

  constructor({ dynamo }: Pick<Deployment, 'dynamo'>, partitionUnits = PARTITION_WRITE_UNITS) {
    this.#dynamo = dynamo;
    this.#pace = new Pace(partitionUnits);
  }

  /** Writes until DynamoDB has processed every request. */
  async write(table: string, requests: WriteRequests): Promise<void> {
    for (const batch of batchesOf(requests, MAX_BATCH)) {
      for (let waiting: WriteRequests = batch; waiting.length > 0; ) {
        const { UnprocessedItems } = await inTurn(this.#pace, () => this.#send(table, waiting));
        waiting = UnprocessedItems?.[table] ?? [];
        if (waiting.length > 0) this.#pace.refused();
      }
    }
  }

  async #send(table: string, requests: WriteRequests) {
    const command = new BatchWriteCommand({ RequestItems: { [table]: requests }, ReturnConsumedCapacity: 'INDEXES' });
    const { UnprocessedItems, ConsumedCapacity = [] } = await this.#dynamo.send(command);
    return { UnprocessedItems, ConsumedCapacity: ConsumedCapacity.flatMap(({ Table }) => Table ?? []) };
  }
}
