import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';

/** Delays of a round trip: none, and typical ones to DynamoDB within a region. */
export const DELAYS_MS = [0, 5, 10];

/** Delays every round trip of a client. */
export const addDelay = (client: DynamoDBDocumentClient, milliseconds: number): void =>
  client.middlewareStack.add(
    (next) => async (call) => {
      await sleep(milliseconds);
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'delay' },
  );

/** Removes the event from each transaction of a client. */
export const dropEvents = (client: DynamoDBDocumentClient): void =>
  client.middlewareStack.add(
    (next) => (call) => {
      const { TransactItems } = call.input as TransactWriteCommandInput;
      const isEvent = ({ Put }: NonNullable<typeof TransactItems>[number]) =>
        Put?.TableName === process.env['OUTBOX_TABLE'];
      const input = TransactItems
        ? { ...call.input, TransactItems: TransactItems.filter((item) => !isEvent(item)) }
        : call.input;
      return next({ ...call, input });
    },
    { step: 'initialize', priority: 'high', name: 'events' },
  );
