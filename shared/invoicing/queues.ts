import type { QueueDeclaration } from '#shared/platform/data/queues.ts';
import { isId } from '#shared/platform/id.ts';

export const queues = {
  exports: { variable: 'EXPORTS_QUEUE_URL' },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof queues;

/** The environment variable with the name of the bucket for the accounts' files. */
export const BUCKET_VARIABLE = 'EXPORTS_BUCKET';

export interface Message {
  readonly account_id: string;
  readonly export_id: number;
}

/** @throws Error for any other message: SQS delivers it again, and finally moves it to the dead-letter queue */
export const parseMessage = (body: string): Message => {
  const { account_id, export_id } = JSON.parse(body) as Message;
  if (typeof account_id === 'string' && account_id !== '' && isId(export_id)) return { account_id, export_id };
  throw new Error('The message names no export.');
};
