import { deliveryOf, type WebhookDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { createId } from '#shared/platform/id.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import type { Load } from './load.ts';

/** An event of the account that no endpoint has got yet. */
export const createEvent = async (account: Account): Promise<number> => {
  await account.createCustomer();
  return (await account.call('GET', '/v1/events')).json.data.at(-1).id;
};

interface Deliveries {
  readonly endpoint: number;
  readonly event: number;
  readonly count: number;
  readonly at?: string;
  /** Changes each delivery before it is stored. */
  readonly change?: (delivery: WebhookDelivery) => WebhookDelivery;
}

/** Puts deliveries of one event, and returns their messages. */
export const putDeliveries = async (
  load: Load,
  account: string,
  { endpoint, event, count, at = new Date().toISOString(), change = (delivery) => delivery }: Deliveries,
): Promise<{ readonly account_id: string; readonly webhook_delivery_id: number }[]> => {
  const subject = { id: event, type: 'customer.created', sequence: 1 };
  const first = createId(at, 0);
  const rows = Array.from({ length: count }, (_, i) =>
    change(deliveryOf({ id: endpoint }, subject, { id: first + i, at })),
  );
  await load.put('webhookDeliveries', account, rows);
  return rows.map(({ id }) => ({ account_id: account, webhook_delivery_id: id }));
};
