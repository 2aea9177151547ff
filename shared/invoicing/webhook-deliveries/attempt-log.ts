import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { Answer } from '#shared/platform/webhooks/post.ts';
import type { QueueMessage } from '#shared/platform/worker.ts';
import type { WebhookDelivery } from './rules.ts';

interface Attempt {
  readonly delivery: WebhookDelivery;
  readonly endpoint: WebhookEndpoint;
  readonly message: Pick<QueueMessage, 'body' | 'report'>;
}

/**
 * Posts, and logs one record. The record has only the origin of the URL, because many receivers have a secret in the
 * path.
 */
export const logAttempt = async (
  { delivery, endpoint, message }: Attempt,
  post: () => Promise<Answer>,
): Promise<Answer> => {
  const startedAt = performance.now();
  const answer = await post();
  message.report('webhook attempt', {
    account: message.body.account_id,
    event_type: delivery.event_type,
    event_id: delivery.event_id ?? undefined,
    webhook_endpoint_id: endpoint.id,
    webhook_delivery_id: delivery.id,
    origin: new URL(endpoint.url).origin,
    attempt: delivery.step + 1,
    status: answer.status ?? undefined,
    code: answer.error?.code,
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
  });
  return answer;
};
