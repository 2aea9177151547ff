import { USES as DISPATCH_USES, dispatchEvents } from '#shared/invoicing/webhook-deliveries/dispatch.ts';
import { streamWorker } from '#shared/platform/worker.ts';

/** Turns the changes of an account into events, and dispatches them to its webhook endpoints (CONTRACT §15). */
export default streamWorker({
  trigger: { insertsInto: 'outbox' },
  uses: { ...DISPATCH_USES, outbox: ['publish'], events: ['append', ...DISPATCH_USES.events] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, stores, account) {
    const { head } = await stores.outbox.publish(stores.events);
    await dispatchEvents(context, stores, account, head.sequence);
  },
});
