import type { AccountsOf } from '#shared/invoicing/declarations.ts';
import { mayReceive } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';

export const USES = { webhookEndpoints: ['find'], across: ['held'] } as const;

/**
 * Sends a message for each endpoint whose held deliveries need not wait any longer: it works again, its probe is due, or
 * it is deleted. The cost depends on the number of endpoints, not on the number of deliveries that wait.
 * @returns the number of messages
 */
export const continueHeld = async (
  context: WorkerContext,
  { storesOf, across }: AccountsOf<typeof USES>,
): Promise<number> => {
  let continued = 0;
  await reconcileEach(across.held('webhookDeliveries'), context, async ({ account_id, held_by }) => {
    const { webhookEndpoints } = storesOf(account_id);
    const endpoint = (await webhookEndpoints.find([held_by], ['status', 'probe_at'])).get(held_by);
    if (endpoint && !mayReceive(endpoint, context.now())) return;
    await context.send('deliveries', { account_id, webhook_endpoint_id: held_by });
    continued += 1;
  });
  return continued;
};
