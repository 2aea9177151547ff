import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { isThrottlingError } from '@smithy/core/retry';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { type ArrivalTime, type Charge, type Counter, ThrottledError } from './counter.ts';

const HOUR_S = 3600;
/** Concurrent charges can make both guesses wrong. */
const MAX_GUESSES = 4;

/** The counters in the table `limits`: an item for each account. */
export const createCounter = (context: DynamoContext): Counter => {
  const { client, tableNames } = context;
  preventRetries(context);
  const TableName = tableNames.limits;
  return {
    async read(account_id, abortSignal) {
      const { Item } = await client.send(new GetCommand({ TableName, Key: { account_id } }), { abortSignal });
      return (Item?.['tat'] as number | undefined) ?? 0;
    },
    async charge(account_id, { isBusy, ...charge }, abortSignal) {
      let [busy, before] = [isBusy, 0];
      for (let guess = 1; guess <= MAX_GUESSES; guess++) {
        try {
          const update = { TableName, Key: { account_id }, ...COMMON, ...(busy ? toLater(charge) : toNow(charge)) };
          const { Attributes } = await client.send(new UpdateCommand(update), { abortSignal });
          return { arrivalTime: Attributes?.['tat'], wasBusy: busy, isCharged: true };
        } catch (error) {
          before = arrivalTimeOf(error);
          busy = before > charge.now;
          if (before > charge.latest) break;
        }
      }
      return { arrivalTime: before, wasBusy: busy, isCharged: false };
    },
  };
};

const COMMON = { ReturnValues: 'UPDATED_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

type CounterUpdate = Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeValues'>;

const toLater = ({ now, milliseconds, latest }: Omit<Charge, 'isBusy'>): CounterUpdate => ({
  UpdateExpression: 'SET tat = tat + :cost, expires_at = :expires',
  ConditionExpression: 'tat > :now AND tat <= :latest',
  ExpressionAttributeValues: { ':cost': milliseconds, ':now': now, ':latest': latest, ':expires': expiryAt(now) },
});

const toNow = ({ now, milliseconds }: Omit<Charge, 'isBusy'>): CounterUpdate => ({
  UpdateExpression: 'SET tat = :next, expires_at = :expires',
  ConditionExpression: 'attribute_not_exists(tat) OR tat <= :now',
  ExpressionAttributeValues: { ':next': now + milliseconds, ':now': now, ':expires': expiryAt(now) },
});

const expiryAt = (now: number): number => Math.floor(now / 1000) + HOUR_S;

/** The arrival time with which a condition failed. @throws any other error */
const arrivalTimeOf = (error: unknown): ArrivalTime => {
  const { name, Item } = error as Error & { Item?: { tat?: { N?: string } } };
  if (name !== 'ConditionalCheckFailedException') throw error;
  return Number(Item?.tat?.N ?? 0);
};

/** The SDK would repeat a throttled call, for longer than a request may wait for its count. */
const preventRetries = ({ client, tableNames }: DynamoContext): void =>
  client.middlewareStack.add(
    (next) => async (call) => {
      try {
        return await next(call);
      } catch (error) {
        const isCounter = (call.input as { TableName?: string }).TableName === tableNames.limits;
        throw isCounter && isThrottlingError(error as Parameters<typeof isThrottlingError>[0])
          ? new ThrottledError('The item is throttled.')
          : error;
      }
    },
    { step: 'finalizeRequest', name: 'throttledCounter', override: true },
  );
