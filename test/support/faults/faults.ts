import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Faults of one attempt of an AWS call. A crash is an error that nothing handles: no further call follows, as when the
 * process dies, but the client gets a 500 instead of a broken connection.
 */
export const FAULTS = [
  'lost-response',
  'never-sent',
  'timeout',
  'conflict',
  'throttling',
  'crash-before',
  'crash-after',
] as const;
export type Fault = (typeof FAULTS)[number];

/** One attempt of an AWS call. The number starts at 1 after each plan. */
export interface Attempt {
  readonly number: number;
  readonly command: string;
}

export type Plan = (attempt: Attempt) => Fault | undefined;

export interface Faults {
  /** Replaces the plan and resets the numbers of the attempts. */
  plan(plan?: Plan): void;
  /** The commands attempted since the last plan. */
  readonly attempts: readonly string[];
}

export const fault = (name: string, members: object): Error =>
  Object.assign(new Error(name), { name, $metadata: {}, ...members });

const rejected = (name: string, members: object = {}): Error =>
  fault(name, { $fault: 'client', $metadata: { httpStatusCode: 400 }, ...members });

/** DynamoDB cancels a transaction for the reason of one item, and refuses another call with an exception. */
const refused = (command: string, items: number, Code: string, exception: string): Error =>
  command === 'TransactWriteItemsCommand'
    ? rejected('TransactionCanceledException', {
        CancellationReasons: Array.from({ length: items }, (_, i) => ({ Code: i === 0 ? Code : 'None' })),
      })
    : rejected(exception);

/** Injects faults into a client's middleware stack, below its retries: the plan is consulted for each attempt. */
export const injectFaults = (client: DynamoDBDocumentClient): Faults => {
  let current: Plan = () => undefined;
  let attempts: string[] = [];
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const command = String(context.commandName);
      attempts.push(command);
      const kind = current({ number: attempts.length, command });
      const items = (call.input as { TransactItems?: unknown[] }).TransactItems?.length ?? 1;
      if (kind === 'never-sent') throw fault('Error', { code: 'ECONNREFUSED' });
      if (kind === 'crash-before') throw fault('Crash', {});
      if (kind === 'throttling') throw refused(command, items, 'ThrottlingError', 'ThrottlingException');
      if (kind === 'conflict') throw refused(command, items, 'TransactionConflict', 'TransactionConflictException');
      const result = await next(call);
      if (kind === 'lost-response') throw fault('Error', { code: 'ECONNRESET' });
      if (kind === 'crash-after') throw fault('Crash', {});
      if (kind === 'timeout') throw fault('TimeoutError', {});
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  );
  return {
    plan: (plan = () => undefined) => {
      current = plan;
      attempts = [];
    },
    get attempts() {
      return attempts;
    },
  };
};
