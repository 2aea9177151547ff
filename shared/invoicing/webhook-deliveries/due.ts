import type { AccountsOf, StoresOf } from '#shared/invoicing/declarations.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import { reconcileDue } from '#shared/platform/jobs/reconcile.ts';
import { waitForAll } from '#shared/platform/jobs/turns.ts';
import type { Messages } from '#shared/vocabulary.ts';

export const DUE_USES = {
  webhookEndpoints: ['find', 'move'],
  webhookDeliveries: ['find', 'move'],
  across: ['due'],
} as const;

/** The time that a message has. A longer queue must not cause more messages. */
const PAUSE_MS = 5 * 60_000;

/** The rows of an account that can be due. */
interface Rows<T extends { readonly due_at?: number | undefined }> {
  find(ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  move(before: T, after: { readonly due_at: number }, unchanged: readonly ['due_at']): Write[];
}

interface Kind<T extends { readonly due_at?: number | undefined }> {
  readonly table: 'webhookEndpoints' | 'webhookDeliveries';
  rowsOf(stores: StoresOf<typeof DUE_USES>): Rows<T>;
  messageOf(account_id: string, id: number): Messages['deliveries'];
}

/** What a pass over the due rows of a kind has done. */
interface Pass {
  /** Number of messages. */
  readonly sent: number;
  /** As {@link reconcileDue} returns it. */
  readonly late_ms: number | undefined;
}

/**
 * Sends a message for each endpoint and each delivery that is due: its time has come, or its message was lost. It reports how
 * late the oldest row was; nothing after an incomplete pass.
 * @returns the number of messages
 */
export const sendDue = async (context: WorkerContext, accounts: AccountsOf<typeof DUE_USES>): Promise<number> => {
  const passes: readonly Pass[] = await waitForAll([
    sendEach(context, accounts, {
      table: 'webhookEndpoints',
      rowsOf: ({ webhookEndpoints }) => webhookEndpoints,
      messageOf: (account_id, webhook_endpoint_id) => ({ account_id, webhook_endpoint_id }),
    }),
    sendEach(context, accounts, {
      table: 'webhookDeliveries',
      rowsOf: ({ webhookDeliveries }) => webhookDeliveries,
      messageOf: (account_id, webhook_delivery_id) => ({ account_id, webhook_delivery_id }),
    }),
  ]);
  const late = passes.map(({ late_ms }) => late_ms);
  if (late.every((ms) => ms !== undefined)) {
    const longest = late.reduce((longer, ms) => Math.max(longer, ms), 0);
    context.count('WebhooksOverdueSeconds', Math.round(longest / 1000));
  }
  return passes.reduce((sum, { sent }) => sum + sent, 0);
};

const sendEach = async <T extends { readonly due_at?: number | undefined }>(
  context: WorkerContext,
  { storesOf, across }: AccountsOf<typeof DUE_USES>,
  { table, rowsOf, messageOf }: Kind<T>,
): Promise<Pass> => {
  const now = Date.parse(context.now());
  let sent = 0;
  const late_ms = await reconcileDue(across.due(table, now), now, context, async ({ account_id, id }) => {
    const rows = rowsOf(storesOf(account_id));
    const row = (await rows.find([id])).get(id);
    if (row?.due_at === undefined || row.due_at > now) return;
    if (!(await context.commit(() => rows.move(row, { due_at: now + PAUSE_MS }, ['due_at'])))) return;
    await context.send('deliveries', messageOf(account_id, id));
    sent += 1;
  });
  return { sent, late_ms };
};
