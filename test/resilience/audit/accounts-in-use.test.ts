import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { audit, type ReportedFinding } from '#infra/operations/audit/audit.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { below, type Chance, pick } from '#test/support/requests/random-requests.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { createSealer, type Sealer } from '#test/support/state/pages.ts';
import { auditedDeployment, auditOf } from './audited-account.ts';

/*
 * The law of the audit: it finds nothing in an account whose data is right, and `--repair` changes nothing there, while
 * clients and workers change the data. Before each call of the audit, some random steps of clients and workers run, as
 * during a slow read. Most steps return to a former state, because equal values in two looks are what the audit relies
 * on; an account has one or two kinds of steps, so that they return often. `SEED` repeats the steps, `RUNS` sets the
 * number of accounts.
 */
const ACCOUNTS = extent({ full: 1000, part: 10 });
const AUDITS = 3;
/** The sealer's clock is later than rows can be inserted with an older id. */
const SEALED_AFTER_MS = 60_000;

let service: Webhooks;
let receiver: Receiver;
let sealer: Sealer;

beforeAll(async () => {
  [service, receiver] = await Promise.all([startWebhooks(), startReceiver(behaviors.ok)]);
  sealer = createSealer(service, SEALED_AFTER_MS);
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

type Step = () => Promise<unknown>;

/** A step that creates a resource, and the next time deletes or ends it. */
const toggle = (create: Step, end: (created: { readonly path: string }) => Promise<unknown>): Step => {
  let created: { readonly path: string } | undefined;
  return async () => {
    const before = created;
    created = before ? undefined : ((await create()) as { readonly path: string });
    if (before) await end(before);
  };
};

/** Creates an account. @returns the kinds of steps of its clients and workers */
const kindsOf = async (account: Account, chance: Chance): Promise<readonly Step[]> => {
  const customers = [await account.customer(), await account.customer()];
  const endpoint = await account.createEndpoint(receiver);
  const { id: invoice_id } = await account.invoice({ total_cents: 0 });
  const item = await account.item(invoice_id);
  await sealer.index(account.id, 'customers').request();
  await sealer.run();
  const remove = ({ path }: { readonly path: string }) => account.send('DELETE', path);
  const invoices = customers.map(({ id }) => toggle(() => account.invoice({ customer_id: id }), remove));
  const moving = await account.invoice({ customer_id: customers[0].id });
  return [
    ...invoices,
    () => account.send('PATCH', moving.path, { customer_id: pick(chance, [null, ...customers.map(({ id }) => id)]) }),
    toggle(
      () => account.export(),
      ({ path }) => account.send('POST', `${path}/cancel`),
    ),
    async () => {
      const { id: export_id } = await account.export();
      await service.run('workers/export', { Records: [recordOf({ account_id: account.id, export_id })] });
    },
    toggle(() => account.createEndpoint(receiver), remove),
    toggle(() => account.customer(), remove),
    toggle(() => account.item(invoice_id, 50), remove),
    () => account.send('PATCH', item.path, { unit_amount_cents: pick(chance, [100, 200]) }),
    () => account.send('PATCH', endpoint.path, { event_types: pick(chance, [['*'], ['customer.created']]) }),
    () => account.send('PATCH', endpoint.path, { status: pick(chance, ['enabled', 'disabled']) }),
    () => account.send('POST', `${endpoint.path}/rewind`, { sequence: below(chance, 20) }),
    async () => {
      const { id } = await account.invoice({ total_cents: 100 });
      const payment = await account.payment(id, pick(chance, [60, 100]));
      await account.refund(payment.id, { amount_cents: 10 });
    },
    () => service.dispatch(account.id),
    () => account.get('/v1/events?limit=1'),
    () => service.deliverDue(account),
    async () => service.moveClock(30_000),
    async () => {
      await sealer.index(account.id, 'customers').request();
      await sealer.seal(account.id, 'customers');
    },
  ];
};

/** A client that makes a step before half of its calls, and sometimes more steps. */
const after = (client: DynamoDBDocumentClient, steps: readonly Step[], chance: Chance): DynamoDBDocumentClient => {
  const slow = Object.create(client);
  let turn: Promise<unknown> = Promise.resolve();
  const takeSteps = async () => {
    while (chance() < 1 / 2) await pick(chance, steps)();
  };
  slow.send = async (...call: Parameters<DynamoDBDocumentClient['send']>) => {
    turn = turn.then(takeSteps);
    await turn;
    return client.send(...call);
  };
  return slow;
};

test(`${ACCOUNTS} accounts in use: an audit with repairs finds and changes nothing`, async () => {
  const chance = chances(SEED);
  const workers = { service, queue: service.queue, own: service.own };
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = service.account();
    const kinds = await kindsOf(account, chance);
    const steps = [kinds[i % kinds.length] as Step, ...(chance() < 1 / 2 ? [pick(chance, kinds)] : [])];
    const deployment = auditedDeployment(workers);
    const slow = { ...deployment, dynamo: after(deployment.dynamo, steps, chance) };
    const found: ReportedFinding[] = [];
    for (let j = 0; j < AUDITS; j++)
      found.push(...(await Array.fromAsync(audit(slow, { account: account.id, repairs: true, pauseMs: 0 }))));
    await service.dispatch(account.id);
    expect([i, found, await auditOf(workers, account.id)]).toEqual([i, [], []]);
  }
});
