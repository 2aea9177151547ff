import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { mayReceive } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { hasTime } from '#shared/platform/jobs/turns.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import type { QueueMessage } from '#shared/platform/worker.ts';
import type { EndpointMessage } from '#shared/vocabulary.ts';
import { USES as DISPATCH_USES, dispatchEvents } from './dispatch.ts';
import { cancel, resume, type WebhookDelivery } from './rules.ts';

export const USES = {
  ...DISPATCH_USES,
  webhookEndpoints: [...DISPATCH_USES.webhookEndpoints, 'find'],
  webhookDeliveries: [...DISPATCH_USES.webhookDeliveries, 'list', 'replace'],
  outbox: ['readHead'],
} as const;

type Stores = StoresOf<typeof USES>;

/**
 * The rows of a page change at the same time. More rows would use too much of the throughput of the account's
 * partition, which requests need.
 */
const PAGE = { style: 'cursor', limit: 10, order: 'ascending' } as const;

/**
 * Continues after a change of an endpoint (CONTRACT §15). For an endpoint that was enabled, rewound or works again,
 * it sends the held deliveries, the oldest first, and then dispatches the events. When the probe of an endpoint is due,
 * it sends one delivery. For a deleted endpoint, it cancels the pending deliveries. When time runs out, the reconciler
 * sends another message for the rest.
 */
export const continueEndpoint = async (message: QueueMessage<EndpointMessage>, stores: Stores): Promise<void> => {
  const { account_id, webhook_endpoint_id: id } = message.body;
  for (let after: number | undefined; hasTime(message); ) {
    const endpoint = (await stores.webhookEndpoints.find([id])).get(id);
    if (endpoint && !mayReceive(endpoint, message.now())) return;
    const filter = endpoint ? { held_by: id } : { webhook_endpoint_id: id, status: 'pending' };
    const isProbe = endpoint !== undefined && isFailing(endpoint);
    const { rows, ...page } = await stores.webhookDeliveries.list({
      ...PAGE,
      ...(isProbe && { limit: 1 }),
      filter,
      after,
    });
    const change = endpoint ? resume : cancel;
    const done = await Promise.all(rows.map((row) => commitChange(message, stores, row as WebhookDelivery, change)));
    // If no row of the page was changed, a worker with another message for the same endpoint has changed them.
    if (isProbe || (rows.length > 0 && !done.includes(true))) return;
    after = rows.at(-1)?.id;
    if (!('has_more' in page) || !page.has_more) break;
  }
  const { sequence } = await stores.outbox.readHead();
  await dispatchEvents(message, stores, account_id, sequence);
};

const commitChange = async (
  { body: { account_id }, commit, now, send }: QueueMessage<EndpointMessage>,
  { webhookDeliveries }: Stores,
  before: WebhookDelivery,
  change: (delivery: WebhookDelivery, at: string) => WebhookDelivery,
): Promise<boolean> => {
  const after = change(before, now());
  const isDone = await commit(() => webhookDeliveries.replace(before, after));
  if (isDone && after.status === 'pending') await send('deliveries', { account_id, webhook_delivery_id: before.id });
  return isDone;
};
