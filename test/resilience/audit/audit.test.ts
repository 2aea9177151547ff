import type { QueryCommand, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from '@jest/globals';
import { audit } from '#infra/operations/audit/audit.ts';
import { CHECKS } from '#infra/operations/audit/checks.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { injectCrashes } from '#test/support/faults/crash.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { startWorkers } from '#test/support/service/workers.ts';
import { checkPageIndex, createSealer } from '#test/support/state/pages.ts';
import { auditedDeployment, auditOf, createAccount, rawWrites } from './audited-account.ts';
import { DAMAGES } from './damages.ts';

const workers = await startWorkers();
afterAll(() => workers.stop());

const cases = Object.entries(DAMAGES).flatMap(([check, damages]) =>
  damages.map(({ title, ...damage }) => ({ ...damage, check, title: `${check}: ${title}` })),
);

test('every check: has damages that it finds', () => {
  expect(Object.keys(DAMAGES).sort()).toEqual(CHECKS.map(({ name }) => name).sort());
});

test('an account with every kind of row: no finding', async () => {
  expect(await auditOf(workers, await createAccount(workers))).toEqual([]);
});

describe('damage', () => {
  test.each(partOf(cases, 20))(
    '$title: found, repaired, and not found again',
    async ({ check, make, found, isFinal }) => {
      const account = await createAccount(workers);
      await make(rawWrites(workers, account));
      const findings = await auditOf(workers, account);
      expect([...new Set(findings.map((finding) => finding.check))].sort()).toEqual([...found].sort());
      expect(found).toContain(check);
      const repaired = await auditOf(workers, account, true);
      const left = await auditOf(workers, account);
      expect(left.map((finding) => finding.check)).toEqual(isFinal ? findings.map((finding) => finding.check) : []);
      expect(repaired.some(({ repair }) => repair === 'done')).toBe(!isFinal);
    },
  );
});

test.each(cases.filter(({ title }) => /another count of a group|a lost creation$/.test(title)))(
  '$title, and the account is in use: found',
  async ({ check, make }) => {
    const account = await createAccount(workers);
    await make(rawWrites(workers, account));
    const { customer, get } = makers(workers.service, { account });
    const deployment = auditedDeployment(workers);
    // A customer, and its event, before each look.
    const dynamo = Object.create(deployment.dynamo);
    dynamo.send = async (command: QueryCommand) => {
      if (command.input.TableName === 'customers') {
        await customer();
        await get('/v1/events?limit=1');
      }
      return deployment.dynamo.send(command);
    };
    const findings = await audit({ ...deployment, dynamo }, { account, pauseMs: 0 });
    expect(findings.map((finding) => finding.check)).toContain(check);
  },
);

test('rows are sealed and deleted before a wrong page index is deleted: the repair begins again, and a new index is right', async () => {
  const { service } = workers;
  const account = await createAccount(workers);
  const make = makers(service, { account: account });
  const sealer = createSealer(service, 60_000);
  const { id } = await make.customer();
  await rawWrites(workers, account).set('pages', { collection: `${account}#customers`, id: 0 }, { rows: 7 });
  const compete = async () => {
    await make.customer();
    await sealer.seal(account, 'customers');
    await make.send('DELETE', `/v1/customers/${id}`);
  };
  await interleave(service.client)(compete, () => auditOf(workers, account, true));
  expect(await auditOf(workers, account)).toEqual([]);
  expect(await checkPageIndex(service, account, 'customers')).toBe(0);
  await sealer.index(account, 'customers').request();
  await sealer.run();
  expect(await checkPageIndex(service, account, 'customers')).toBe(3);
});

test('a repair that ends after its first transaction, of a page index with many groups: rows can be deleted', async () => {
  const { service } = workers;
  const account = await createAccount(workers);
  const make = makers(service, { account });
  await cases.find(({ title }) => title.includes('more empty groups'))?.make(rawWrites(workers, account));
  let transactions = 0;
  service.client.middlewareStack.add(
    (next) => (call) => {
      const { TransactItems = [] } = call.input as Partial<TransactWriteCommandInput>;
      const isOfPages = TransactItems.some(({ Delete }) => Delete?.TableName === 'pages');
      if (isOfPages && ++transactions === 2) throw new Error('The repair ends.');
      return next(call);
    },
    { step: 'initialize', name: 'end' },
  );
  await expect(auditOf(workers, account, true)).rejects.toThrow('The repair ends.');
  service.client.middlewareStack.remove('end');
  const { path } = await make.invoice();
  expect((await make.send('DELETE', path)).status).toBe(204);
  await auditOf(workers, account, true);
  expect(await auditOf(workers, account)).toEqual([]);
});

/** The distance between the calls at which a repair ends. */
const CALLS = 37;

deepTest('a repair that ends at some call: another one completes it', async () => {
  const crashes = injectCrashes([workers.service.client]);
  let interruptions = 0;
  const [lastEvents, owner] = cases.filter(({ title }) => /last events|lost invoice with items/.test(title));
  for (const { make } of [lastEvents, owner].filter((one) => one !== undefined))
    for (let number = CALLS, isInterrupted = true; isInterrupted; number += CALLS) {
      const account = await createAccount(workers);
      await make(rawWrites(workers, account));
      crashes.plan({ number, when: number % 2 ? 'before' : 'after' });
      isInterrupted = await auditOf(workers, account, true).then(
        () => false,
        () => true,
      );
      crashes.plan();
      interruptions += Number(isInterrupted);
      await auditOf(workers, account, true);
      expect([number, await auditOf(workers, account)]).toEqual([number, []]);
    }
  expect(interruptions).toBeGreaterThan(5);
});

deepTest('an audit while requests change the account: no finding', async () => {
  const account_id = newAccount();
  const make = makers(workers.service, { account: account_id });
  const customer_id = (await make.customer()).id;
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const { id } = await make.create('invoices', {
        customer_id,
        items: [{ description: 'Work', unit_amount_cents: 100 }],
      });
      const payment = await make.payment(id, 60);
      await make.refund(payment.id, { amount_cents: 10 });
      await make.payment(id, 40);
      const draft = await make.invoice({ customer_id, status: 'draft' });
      await make.send('DELETE', draft.path);
      await make.send('GET', '/v1/events');
    }
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  const findings: unknown[] = [];
  for (let i = 0; i < 3; i++) findings.push(...(await auditOf(workers, account_id)));
  isOver = true;
  await clients;
  findings.push(...(await auditOf(workers, account_id)));
  expect(findings).toEqual([]);
});
