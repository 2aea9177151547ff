import type { EndpointMessage } from '#shared/invoicing/queues.ts';
import { MARGIN_MS } from '#shared/platform/jobs/reconcile.ts';
import type { QueueMessage, StoresOf } from '#shared/platform/worker.ts';
import { USES as DISPATCH_USES, dispatchEvents } from './dispatch.ts';
import { cancel, resume, type WebhookDelivery } from './rules.ts';

export const USES = {
  ...DISPATCH_USES,
  webhooks: [...DISPATCH_USES.webhooks, 'find'],
  deliveries: [...DISPATCH_USES.deliveries, 'walk', 'replace'],
  outbox: ['readHead'],
} as const;

type Stores = StoresOf<typeof USES>;

const PAGE = { style: 'cursor', limit: 100, order: 'ascending' } as const;

/**
 * Continues after a change of an endpoint: when it was enabled, rewound or works again, its events are dispatched and
 * its held deliveries are sent; when it was deleted, its pending deliveries are canceled (CONTRACT §15).
 */
export const continueEndpoint = async (message: QueueMessage<EndpointMessage>, stores: Stores): Promise<void> => {
  const { account_id, webhook_endpoint_id, after } = message.body;
  const endpoint = (await stores.webhooks.find([webhook_endpoint_id])).get(webhook_endpoint_id);
  if (endpoint?.status === 'disabled') return;
  if (endpoint && after === undefined) {
    const { sequence } = await stores.outbox.readHead();
    await dispatchEvents(message, stores, account_id, sequence);
  }
  await continueDeliveries(message, stores, endpoint ? resumeHeld : cancel);
};

type Change = (delivery: WebhookDelivery, at: string) => WebhookDelivery;

const resumeHeld: Change = (delivery, at) => (delivery.is_held ? resume(delivery, at) : delivery);

/** Changes each pending delivery. What the time does not suffice for is done by another message. */
const continueDeliveries = async (
  message: QueueMessage<EndpointMessage>,
  { deliveries }: Stores,
  change: Change,
): Promise<void> => {
  const { account_id, webhook_endpoint_id } = message.body;
  const filter = { webhook_endpoint_id, status: 'pending' };
  for (let { after } = message.body; ; ) {
    const { rows, ...page } = await deliveries.walk({ ...PAGE, filter, after });
    for (const before of rows as readonly WebhookDelivery[]) {
      const next = change(before, message.now());
      if (next === before || !(await message.commit(() => deliveries.replace(before, next)))) continue;
      if (next.status === 'pending') await message.send('deliveries', { account_id, webhook_delivery_id: before.id });
    }
    after = rows.at(-1)?.id;
    if (!('has_more' in page) || !page.has_more) return;
    if (message.remaining() < MARGIN_MS) return message.send('deliveries', { ...message.body, after });
  }
};
