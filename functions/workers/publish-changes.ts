import { streamWorker } from '#shared/invoicing/declarations.ts';
import { USES as DISPATCH_USES, dispatchEvents } from '#shared/invoicing/webhook-deliveries/dispatch.ts';
import { withLimit } from '#shared/platform/jobs/turns.ts';

/**
 * Limit of each of the two steps of an account: the next records of a shard wait for the slowest account of the last
 * ones. The scheduled worker continues with a backlog.
 */
const TURN_MS = 500;

/** Turns the changes of an account into events, and dispatches them to its webhook endpoints (CONTRACT §15). */
export default streamWorker({
  trigger: { insertsInto: 'outbox' },
  uses: { ...DISPATCH_USES, outbox: ['publish'], events: ['append', ...DISPATCH_USES.events] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, stores, account) {
    const { head } = await stores.outbox.publish(stores.events, { ms: TURN_MS });
    await dispatchEvents(withLimit(context, TURN_MS), stores, account, head.sequence);
  },
});
