import { streamWorker } from '#shared/invoicing/declarations.ts';
import { USES as WAKE_USES, wakeEndpoints } from '#shared/invoicing/webhook-deliveries/wake.ts';

/**
 * Limit of the time of an account: the next records of a shard wait for the slowest account of the last ones. The scheduled
 * worker continues with a backlog.
 */
const TURN_MS = 500;

/** Turns the changes of an account into events, and wakes its webhook endpoints (CONTRACT §15). */
export default streamWorker({
  trigger: { insertsInto: 'outbox' },
  uses: { ...WAKE_USES, outbox: ['publish', 'readHead'], events: ['append'] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, stores, account) {
    const { head, isCaughtUp } = await stores.outbox.publish(stores.events, { ms: TURN_MS });
    // A list of events, which wakes no endpoint, may have published what this turn has not.
    const { sequence } = isCaughtUp ? head : await stores.outbox.readHead();
    await wakeEndpoints(context, stores, account, sequence);
  },
});
