import type { AccountsOf, StoresOf } from '#shared/invoicing/declarations.ts';
import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { Published } from '#shared/platform/events/outbox.ts';
import { reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import { sendOrReport } from './outcome.ts';

export const WAKE_USES = { webhookEndpoints: ['list'], outbox: ['readHead'] } as const;
export const SCAN_USES = { ...WAKE_USES, events: ['list'], across: ['accounts'] } as const;

const ALL = { style: 'cursor', limit: 100, after: undefined, order: 'ascending', filter: {} } as const;

/**
 * Sends a message for each enabled endpoint of an account that has not reached the end of the feed, or has deliveries to
 * resume, unless a message or the reconciler will wake it.
 * @param end the sequence of the last event
 * @returns the endpoints that are behind
 */
const wakeEndpoints = async (
  context: WorkerContext,
  { webhookEndpoints }: StoresOf<Pick<typeof WAKE_USES, 'webhookEndpoints'>>,
  account_id: string,
  end: number,
): Promise<readonly WebhookEndpoint[]> => {
  const { rows } = await webhookEndpoints.list(ALL);
  const behind = (rows as readonly WebhookEndpoint[]).filter(
    ({ status, position, resume_after }) => status === 'enabled' && (position < end || resume_after !== undefined),
  );
  const now = Date.parse(context.now());
  const asleep = behind.filter(({ due_at = 0 }) => due_at <= now);
  await Promise.all(asleep.map(({ id }) => sendOrReport(context, { account_id, webhook_endpoint_id: id })));
  return behind;
};

/** Wakes the endpoints of an account after a turn of its sequencer. */
export const wakeAfterTurn = async (
  context: WorkerContext,
  stores: StoresOf<typeof WAKE_USES>,
  account_id: string,
  { head, isCaughtUp }: Published,
): Promise<void> => {
  // A list of events, which wakes no endpoint, may have published what this turn has not.
  const { sequence } = isCaughtUp ? head : await stores.outbox.readHead();
  await wakeEndpoints(context, stores, account_id, sequence);
};

/**
 * Wakes the endpoints of all accounts, whose messages may have been lost, and reports how old the oldest event is that waits
 * for an endpoint that does not fail; nothing after an incomplete pass.
 */
export const wakeAll = async (
  context: WorkerContext,
  { storesOf, across }: AccountsOf<typeof SCAN_USES>,
): Promise<void> => {
  const now = Date.parse(context.now());
  let lagMs = 0;
  const isComplete = await reconcileEach(across.accounts(), context, async ({ account_id }) => {
    const stores = storesOf(account_id);
    const { sequence } = await stores.outbox.readHead();
    const behind = await wakeEndpoints(context, stores, account_id, sequence);
    for (const { position_id } of behind.filter((endpoint) => !isFailing(endpoint))) {
      const { rows } = await stores.events.list({ ...ALL, limit: 1, after: position_id });
      for (const { created_at } of rows) lagMs = Math.max(lagMs, now - Date.parse(created_at));
    }
  });
  if (isComplete) context.count('DispatchLagSeconds', Math.round(lagMs / 1000));
};
