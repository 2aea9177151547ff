import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { Messages } from '#shared/vocabulary.ts';
import { messageDelay, type WebhookDelivery } from './rules.ts';

/** If sending fails, the reconciler sends a message later. */
export const sendOrReport = (
  { send, report }: Pick<QueueMessage, 'send' | 'report'>,
  body: Messages['deliveries'],
  delayMs = 0,
): Promise<void> => send('deliveries', body, delayMs).catch((error) => report('message not sent', { ...body, error }));

/** Sends the message for the next attempt of a delivery, unless the reconciler will send it. */
export const announce = async (
  delivery: WebhookDelivery,
  message: Pick<QueueMessage, 'send' | 'report' | 'now' | 'body'>,
): Promise<void> => {
  const delayMs = messageDelay(delivery, message.now());
  const { account_id } = message.body;
  if (delayMs !== undefined) await sendOrReport(message, { account_id, webhook_delivery_id: delivery.id }, delayMs);
};

const METRICS = { succeeded: 'DeliveriesSucceeded', failed: 'DeliveriesFailed' } as const;

/** Counts attempts that have ended. */
export const countAttempts = (deliveries: readonly WebhookDelivery[], { count }: Pick<QueueMessage, 'count'>): void => {
  for (const { status, error } of deliveries) {
    if (error) count('DeliveryAttemptsFailed');
    if (status === 'succeeded' || status === 'failed') count(METRICS[status]);
  }
};
