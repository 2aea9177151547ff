import { streamWorker } from '#shared/invoicing/declarations.ts';
import { WAKE_USES, wakeAfterTurn } from '#shared/invoicing/webhook-deliveries/wake.ts';

/**
 * Limit of the time of an account: the next records of a shard wait for the slowest account of the last records. The
 * scheduled worker continues with a backlog.
 */
const TURN_MS = 500;

/** Turns the changes of an account into events, and wakes its webhook endpoints (CONTRACT §15). */
export default streamWorker({
  trigger: { insertsInto: 'outbox' },
  uses: { ...WAKE_USES, outbox: ['publish', ...WAKE_USES.outbox], events: ['append'] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, stores, account) {
    const done = await stores.outbox.publish(stores.events, { ms: TURN_MS });
    await wakeAfterTurn(context, stores, account, done);
  },
});
