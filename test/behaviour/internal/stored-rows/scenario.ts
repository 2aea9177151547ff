import { fail } from '#shared/invoicing/exports/job.ts';
import { type Receiver, respond, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { commitAsWorker, failDelivery } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import type { Account, Webhooks } from '#test/support/service/webhooks.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { createSealer } from '#test/support/state/pages.ts';

const HOUR_MS = 3_600_000;

/** Too short for an export: the attempt is released, and the export stays `running`. */
const SHORT_MS = 29_000;

type Post = (path: string, body?: object) => Promise<Answer['json']>;

/** Stores each resource in each of its statuses in an account, by requests and workers. */
export const storeRows = async (service: Webhooks, account: Account): Promise<void> => {
  const send = async (method: string, path: string, body?: object): Promise<Answer['json']> => {
    const { status, json, text } = await account.send(method, `/v1/${path}`, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json;
  };
  const post: Post = (path, body = {}) => send('POST', path, body);
  let isWorking = false;
  const receiver = await startReceiver((...exchange) => respond(isWorking ? 200 : 500)(...exchange));
  const work = () => {
    isWorking = true;
  };
  await storeLedger(post, (id) => send('PATCH', `invoices/${id}`, { status: 'paid' }));
  await storeExports(service, account.id, post);
  await storeDeliveries(service, account, { receiver, work }, post, (id) => send('DELETE', `webhook-endpoints/${id}`));
  await receiver.close();
  await seal(service, account.id);
  // Its change waits in the outbox.
  await post('customers', { name: 'Charles Babbage' });
};

const storeLedger = async (post: Post, settle: (id: number) => Promise<unknown>): Promise<void> => {
  const address = { city: 'London', country: 'GB' };
  const ada = { name: 'Ada Lovelace', email: 'ada@example.com', tax_id: 'GB1', address, metadata: { tier: 'gold' } };
  const { id: customer_id } = await post('customers', ada);
  const flat = { customer_id, due_date: '2026-12-23', total_cents: 1000, description: 'Engine' };
  await post('invoices', { ...flat, status: 'draft' });
  await post('invoices', flat);
  const items = [{ description: 'Work', quantity: 3, unit_amount_cents: 50 }];
  const { id: invoice_id } = await post('invoices', { customer_id, items });
  await post('invoice-items', { invoice_id, description: 'Travel', unit_amount_cents: 850 });
  const partly = await post('invoices', { ...flat, due_date: null });
  await post('payments', { invoice_id: partly.id, amount_cents: 400, reference: 'No 1' });
  const paid = await post('invoices', flat);
  const [first, second] = [
    await post('payments', { invoice_id: paid.id, amount_cents: 600, method: 'card' }),
    await post('payments', { invoice_id: paid.id, amount_cents: 400 }),
  ];
  await post('refunds', { payment_id: first.id, amount_cents: 100, reason: 'Discount' });
  await post('refunds', { payment_id: second.id });
  await post(`invoices/${(await post('invoices', { total_cents: 5 })).id}/cancel`);
  await settle((await post('invoices', { total_cents: 7 })).id);
};

const storeExports = async (service: Webhooks, account_id: string, post: Post): Promise<void> => {
  const request = async (format = 'csv'): Promise<number> => (await post('exports', { type: 'invoices', format })).id;
  const work = (export_id: number, remaining: number) =>
    service.run('workers/export', { Records: [recordOf({ account_id, export_id })] }, remaining);
  await work(await request(), 5 * 60_000);
  await work(await request('jsonl'), SHORT_MS);
  await failExport(service, account_id, await request());
  await post(`exports/${await request()}/cancel`);
  await post('exports', { type: 'payments', format: 'jsonl', filter: { created_from: '2026-11-21T00:00:00.000Z' } });
};

/** Ends an export as the reconciler does. */
const failExport = (service: Webhooks, account_id: string, id: number): Promise<void> => {
  const uses = { exports: ['get', 'replace'], counters: ['decrement'] };
  return commitAsWorker(service, account_id, uses, async ({ exports, counters }) => {
    const job = await exports.get(id);
    const after = fail(job, 'never-started', new Date().toISOString());
    return [...exports.replace(job, after), ...counters.decrement('unfinished_exports')];
  });
};

const storeDeliveries = async (
  service: Webhooks,
  account: Account,
  { receiver, work }: { readonly receiver: Receiver; readonly work: () => void },
  post: Post,
  remove: (id: number) => Promise<unknown>,
): Promise<void> => {
  const create = (description: string) => account.createEndpoint(receiver, { description });
  const all = await create('all');
  const deleted = await create('deleted');
  const disabled = await create('disabled');
  await post('customers', { name: 'Grace Hopper' });
  await service.dispatch(account.id);
  // The first attempts fail, so that the deliveries of the deleted endpoint are pending.
  await service.drain();
  await account.patchEndpoint(disabled.id, { status: 'disabled' });
  await remove(deleted.id);
  work();
  await service.dispatch(account.id);
  await service.drain();
  const failed = await post(`webhook-endpoints/${all.id}/test`);
  await failDelivery(service, account.id, failed.id);
  await post(`webhook-endpoints/${all.id}/rotate-secret`);
  await post(`webhook-endpoints/${all.id}/test`);
};

/** Seals the collections of the account as an hour later, when no transaction can insert another id. */
const seal = async (service: Webhooks, account_id: string): Promise<void> => {
  const sealer = createSealer(service, HOUR_MS);
  for (const table of ['customers', 'invoices'] as const) await sealer.index(account_id, table).request();
  await sealer.run();
};
