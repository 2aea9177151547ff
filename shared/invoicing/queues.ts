import { isId } from '#shared/platform/id.ts';
import type { EndpointMessage, ExportMessage, QueueName } from '#shared/vocabulary.ts';

export const queues = {
  exports: { variable: 'EXPORTS_QUEUE_URL' },
  deliveries: { variable: 'DELIVERIES_QUEUE_URL' },
} as const satisfies Record<QueueName, { readonly variable: string }>;

/** The environment variable with the name of the bucket for the accounts' files. */
export const BUCKET_VARIABLE = 'EXPORTS_BUCKET';

/** @throws Error for any other message: SQS delivers it again, and finally moves it to the dead-letter queue */
export const parseExportMessage = (body: string): ExportMessage => {
  const { account_id, export_id } = parse(body);
  if (isAccount(account_id) && isId(export_id)) return { account_id, export_id };
  throw new Error('The message names no export.');
};

/** @throws Error for any other message, as {@link parseExportMessage} */
export const parseEndpointMessage = (body: string): EndpointMessage => {
  const { account_id, webhook_endpoint_id } = parse(body);
  if (isAccount(account_id) && isId(webhook_endpoint_id)) return { account_id, webhook_endpoint_id };
  throw new Error('The message names no webhook endpoint.');
};

const parse = (body: string): Readonly<Record<string, unknown>> => JSON.parse(body) ?? {};

const isAccount = (value: unknown): value is string => typeof value === 'string' && value !== '';
