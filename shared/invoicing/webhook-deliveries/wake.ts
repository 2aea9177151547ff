import type { AccountsOf, StoresOf } from '#shared/invoicing/declarations.ts';
import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { Published } from '#shared/platform/events/outbox.ts';
import { reconcileDue, reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import { readPending } from './pending.ts';
import { isRequested, timeOf, type WebhookDelivery } from './rules.ts';

export const WAKE_USES = { webhookEndpoints: ['list'], outbox: ['readHead'] } as const;
export const SCAN_USES = { ...WAKE_USES, webhookDeliveries: ['list'], events: ['list'], across: ['accounts'] } as const;

export const DUE_USES = { webhookEndpoints: ['find', 'move'], across: ['due'] } as const;

const ALL = { style: 'cursor', limit: 100, after: undefined, order: 'ascending', filter: {} } as const;

const readEnabled = async (stores: StoresOf<{ webhookEndpoints: ['list'] }>): Promise<readonly WebhookEndpoint[]> => {
  const { rows } = await stores.webhookEndpoints.list(ALL);
  return (rows as readonly WebhookEndpoint[]).filter(({ status }) => status === 'enabled');
};

/** Whether a message is of use: the pump that has the lease has no note, or there is none, and a probe is not scheduled. */
const needsMessage = ({ lease_until, is_noted, due_at = 0, probe_at }: WebhookEndpoint, now: number): boolean =>
  lease_until > now ? !is_noted : due_at <= now || due_at > probe_at;

/** Whether nobody knows of the first pending delivery, because the index has shown it too late to a pump. */
const isForgotten = ({ due_at, probe_at }: WebhookEndpoint, first: WebhookDelivery | undefined): boolean =>
  first !== undefined && (due_at === undefined || due_at > Math.max(timeOf(first), isRequested(first) ? 0 : probe_at));

/** If sending fails, the scan of all endpoints sends a message later. */
const wake = async ({ send, report }: WorkerContext, account_id: string, endpoints: readonly WebhookEndpoint[]) => {
  const bodies = endpoints.map(({ id: webhook_endpoint_id }) => ({ account_id, webhook_endpoint_id }));
  await Promise.all(
    bodies.map((body) => send('deliveries', body).catch((error) => report('message not sent', { ...body, error }))),
  );
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
  const now = Date.parse(context.now());
  const behind = (await readEnabled(stores)).filter(({ position }) => position < sequence);
  const unaware = behind.filter((endpoint) => needsMessage(endpoint, now));
  await wake(context, account_id, unaware);
};

/**
 * Wakes the endpoints of all accounts whose messages may have been lost, or whose pending deliveries are due earlier. It
 * reports how old the oldest event is that waits for an endpoint that does not fail; nothing after an incomplete pass.
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
    const endpoints = await readEnabled(stores);
    const behind = endpoints.filter(({ position }) => position < sequence);
    const unaware = behind.filter((endpoint) => needsMessage(endpoint, now));
    const others = endpoints.filter((endpoint) => !unaware.includes(endpoint));
    const pending = await Promise.all(others.map(({ id }) => readPending(stores, id, 1)));
    const late = others.filter((endpoint, i) => isForgotten(endpoint, pending[i]?.deliveries[0]));
    await wake(context, account_id, [...unaware, ...late]);
    for (const { position_id } of behind.filter((endpoint) => !isFailing(endpoint))) {
      const { rows } = await stores.events.list({ ...ALL, limit: 1, after: position_id });
      for (const { created_at } of rows) lagMs = Math.max(lagMs, now - Date.parse(created_at));
    }
  });
  if (isComplete) context.count('DispatchLagSeconds', Math.round(lagMs / 1000));
};

/**
 * Sends a message for each webhook endpoint that is due, once: the scan of all endpoints finds those whose message is lost.
 * It reports how late the oldest one was; nothing after an incomplete pass.
 * @returns the number of messages
 */
export const wakeDue = async (
  context: WorkerContext,
  { storesOf, across }: AccountsOf<typeof DUE_USES>,
): Promise<number> => {
  const now = Date.parse(context.now());
  let sent = 0;
  const wakeOne = async ({ account_id, id }: { readonly account_id: string; readonly id: number }) => {
    const { webhookEndpoints } = storesOf(account_id);
    const endpoint = (await webhookEndpoints.find([id])).get(id);
    // If a pump that has the lease is lost, the endpoint is still due at the end of the lease.
    if (endpoint?.due_at === undefined || Math.max(endpoint.due_at, endpoint.lease_until) > now) return;
    if (!(await context.commit(() => webhookEndpoints.move(endpoint, { due_at: undefined }, ['due_at'])))) return;
    await context.send('deliveries', { account_id, webhook_endpoint_id: id });
    sent += 1;
  };
  const late_ms = await reconcileDue(across.due('webhookEndpoints', now), now, context, wakeOne);
  if (late_ms !== undefined) context.count('WebhooksOverdueSeconds', Math.round(late_ms / 1000));
  return sent;
};
