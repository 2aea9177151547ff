import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';

/** Puts rows as they are, without any rule or condition. */
export const putRows = async (
  client: DynamoDBDocumentClient,
  table: string,
  rows: readonly object[],
): Promise<void> => {
  for (const batch of batchesOf(rows, 25)) {
    const puts = batch.map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  }
};
