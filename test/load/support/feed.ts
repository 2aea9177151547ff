import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import { createId } from '#shared/platform/id.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import type { Load } from './load.ts';

/** Appends events of the type customer.created to the feed of an account, which has at least one event, past any rule. */
export const putEvents = async (load: Load, account: Account, count: number): Promise<void> => {
  await account.send('GET', '/v1/events');
  const [event] = await rowsOf(load.service, 'events', account.id);
  const head = (await rowsOf(load.service, 'outbox', account.id)).find(({ id }) => id === HEAD_ID);
  const sequence = Number(head?.['sequence']);
  const first = createId(new Date().toISOString(), 0);
  const rows = Array.from({ length: count }, (_, i) => ({
    ...event,
    id: first + i,
    sequence: sequence + 1 + i,
    type: 'customer.created',
  }));
  await load.put('events', account.id, rows);
  await load.put('outbox', account.id, [{ ...head, sequence: sequence + count, last_id: first + count - 1 }]);
};
