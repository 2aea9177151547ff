import { type Behavior, behaviors } from '#test/support/receivers/webhook-receivers.ts';
import { moveWebhook } from '#test/support/requests/requests.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';

/* The service, the account and the receiver of a test, and what tests of pumps do with them. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const TYPES = { event_types: ['customer.created'] };

export let service: Webhooks;
export let account: Account;
export let receiver: TestReceiver;

export const useWebhooks = (behavior: Behavior = behaviors.ok): void =>
  forEachWebhookTest(behavior, (...own) => {
    [service, account, receiver] = own;
  });

export const changeAccount = (): void => {
  account = service.account();
};

/** Handles a message for each of these endpoints, and returns the number of those that failed. */
export const work = (...ids: number[]): Promise<number> =>
  service.deliver(ids.map((webhook_endpoint_id) => ({ account_id: account.id, webhook_endpoint_id })));

export const move = (id: number, change: Parameters<typeof moveWebhook>[3]): Promise<void> =>
  moveWebhook(service, account.id, id, change);

/** The statuses of the stored deliveries. */
export const statuses = async () => (await account.storedDeliveries()).map(({ status }) => status);

/** The sequences of the received events. */
export const sequences = (from = 0): number[] =>
  receiver.requests.slice(from).map(({ body }) => JSON.parse(body).sequence);
export const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

export const createEndpoint = async (body: object = {}): Promise<number> =>
  (await account.createEndpoint(receiver, { ...TYPES, ...body })).id;

/** Creates an endpoint and events, whose message is lost. */
export const createWithEvents = async (count: number): Promise<number> => {
  const id = await createEndpoint();
  await account.createEvents(count);
  await service.queue.purge();
  return id;
};

/** Creates an endpoint, and sends events, which fail. */
export const createFailing = async (count: number): Promise<number> => {
  receiver.behavior = behaviors.failing;
  const id = await createEndpoint();
  await account.createEvents(count);
  await service.drain();
  return id;
};
