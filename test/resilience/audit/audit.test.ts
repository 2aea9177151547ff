import type { QueryCommand, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from '@jest/globals';
import { audit } from '#infra/operations/audit/audit.ts';
import { CHECKS } from '#infra/operations/audit/checks.ts';
import { CreationRecords } from '#infra/operations/audit/creation-records.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { createId } from '#shared/platform/id.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { injectCrashes } from '#test/support/faults/crash.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { startWorkers } from '#test/support/service/workers.ts';
import { checkPageIndex, createSealer } from '#test/support/state/pages.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import { auditedDeployment, auditOf, createAccount, rawWrites } from './audited-account.ts';
import { DAMAGES } from './damages.ts';

const workers = await startWorkers();
afterAll(() => workers.stop());

const cases = Object.entries(DAMAGES).flatMap(([check, damages]) =>
  damages.map(({ title, ...damage }) => ({ ...damage, check, title: `${check}: ${title}` })),
);

test('every check: finds at least one of the damages', () => {
  expect(Object.keys(DAMAGES).sort()).toEqual(CHECKS.map(({ name }) => name).sort());
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
    const findings = await Array.fromAsync(audit({ ...deployment, dynamo }, { account, pauseMs: 0 }));
    expect(findings.map((finding) => finding.check)).toContain(check);
  },
);

test.each([
  { title: 'invoices of a customer', counted: 'invoices', counter: 'customers' },
  { title: 'unfinished exports', counted: 'exports', counter: 'counters' },
] as const)(
  '$title come and go, so that each look sees the count with a row and the rows without it: no finding',
  async (kind) => {
    const account = newAccount();
    const make = makers(workers.service, { account });
    const { id: customer_id } = await make.customer();
    let end: (() => Promise<unknown>) | undefined;
    const begin = async () => {
      const { path } = await (kind.counted === 'invoices' ? make.invoice({ customer_id }) : make.export());
      end = () => (kind.counted === 'invoices' ? make.send('DELETE', path) : make.send('POST', `${path}/cancel`));
    };
    const deployment = auditedDeployment(workers);
    const dynamo = Object.create(deployment.dynamo);
    let reads = 0;
    dynamo.send = async (command: QueryCommand) => {
      const { TableName, KeyConditionExpression } = command.input;
      if (KeyConditionExpression && TableName === kind.counter) reads += 1;
      if (KeyConditionExpression && TableName === kind.counter) await begin();
      if (KeyConditionExpression && TableName === kind.counted) await end?.();
      return deployment.dynamo.send(command);
    };
    const findings = await Array.fromAsync(audit({ ...deployment, dynamo }, { account, repairs: true, pauseMs: 0 }));
    expect([findings, reads]).toEqual([[], 2]);
    await end?.();
    expect(await auditOf(workers, account)).toEqual([]);
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

deepTest('a repair that ends at some call: another repair completes it', async () => {
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

test('creation records of two accounts, and other records: an audit of one account reads the records of its creations only', async () => {
  const { dynamo, tableNames } = auditedDeployment(workers);
  const [own, other] = [newAccount(), newAccount()];
  const record = (account: string, status: number, location: string) => {
    const key = `${account}#POST /v1/customers#${crypto.randomUUID()}`;
    return { key, status, headers: { location }, created_at: 1, body: '{}' };
  };
  const kept = record(own, 201, '/v1/customers/7');
  const rows = [
    kept,
    record(own, 200, '/v1/customers/8'),
    record(own, 201, '/v1/other/9'),
    record(other, 202, '/v2/exports/7'),
  ];
  await putRows(dynamo, tableNames.idempotency, rows);
  const found = async (account?: string) => {
    const records = await CreationRecords.read(new PacedReads({ dynamo }), tableNames.idempotency, account);
    const lists = await Promise.all([own, other].map((one) => records.of(one)));
    await records.delete();
    return lists.map((list) => list.map(({ key, table, id }) => [key, table, id]));
  };
  const [ofOwn, ofOther] = [[[kept.key, 'customers', 7]], [[rows.at(-1)?.key, 'exports', 7]]];
  expect([await found(), await found(own), await found(other)]).toEqual([
    [ofOwn, ofOther],
    [ofOwn, []],
    [[], ofOther],
  ]);
});

deepTest(
  'rows of a deployment without indexes and events, two findings each: 130,000 findings are reported',
  async () => {
    const account_id = newAccount();
    const at = '2026-11-21T09:30:00.000Z';
    const customer = { account_id, version: 1, created_at: at, updated_at: at, name: 'Ada', email: 'ada@example.com' };
    const rows = Array.from({ length: 65_000 }, (_, i) => ({
      ...customer,
      ...{
        id: createId(at, 0) + i,
        tax_id: null,
        address: null,
        metadata: {},
        invoice_count: 0,
        invoice_count_changes: 0,
      },
    }));
    const { dynamo, tableNames } = auditedDeployment(workers);
    await putRows(dynamo, tableNames.customers, rows);
    const counts: Record<string, number> = {};
    for (const { check } of await auditOf(workers, account_id)) counts[check] = (counts[check] ?? 0) + 1;
    expect(counts).toEqual({ indexes: rows.length, versions: rows.length });
  },
);
