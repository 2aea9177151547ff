import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { deepTest as test } from '#test/support/extent/deep-test.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { type Interrupt, interrupt } from '#test/support/faults/interleave.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { type Service, startService } from '#test/support/service/service.ts';
import { checkPageIndex, createSealer, putCustomers, putOldCustomers, type Sealer } from '#test/support/state/pages.ts';

const ROWS = 2400;

let service: Service;
let faults: Faults;
let interruptAt: Interrupt;
let sealer: Sealer;
let account_id: string;
let make: Makers;
let ids: number[];

beforeAll(async () => {
  service = await startService();
  interruptAt = interrupt(service.client);
  faults = injectFaults(service.client);
});
afterAll(() => service.stop());
beforeEach(async () => {
  faults.plan();
  sealer = createSealer(service);
  await putRows(ROWS);
  await sealAgain();
  sealer = createSealer(service);
});

/** Puts rows in a new account. */
const putRows = async (count: number): Promise<void> => {
  account_id = newAccount();
  make = makers(service, { account_id });
  ids = await putOldCustomers(service, account_id, count);
};
const sealAgain = async (): Promise<void> => {
  await sealer.index(account_id, 'customers').request();
  await sealer.run();
};
const total = async (): Promise<number> => (await make.get('/v1/customers?page=1')).total_count;

/** Deletes rows without the writes that belong to a delete. */
const lose = async (lost: readonly number[]): Promise<void> => {
  const TableName = service.environment['CUSTOMERS_TABLE'];
  for (const id of lost) await service.client.send(new DeleteCommand({ TableName, Key: { account_id, id } }));
};

describe('a page index that is wrong [CONTRACT §5]', () => {
  test('both groups are wrong: the next run finds one of them, corrects both, and reports both to the alarm', async () => {
    await lose(ids.filter((_, i) => i % 40 === 0));
    expect(await total()).toBe(ROWS);
    await sealAgain();
    expect(sealer.counts).toContainEqual(['PageCountsWrong', 2]);
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(ROWS - 60);
    expect(await total()).toBe(ROWS - 60);
    expect(await sealer.index(account_id, 'customers').findRequest()).toBeUndefined();
  });

  test('a right index: a run corrects nothing, and reports nothing to the alarm', async () => {
    await sealAgain();
    expect(sealer.counts.filter(([metric]) => metric === 'PageCountsWrong')).toEqual([]);
  });

  test('one count of a group is wrong: a run that counts the group notices it at any leaf', async () => {
    await putRows(200);
    await sealAgain();
    await lose([ids[100] as number]);
    await sealAgain();
    expect(sealer.counts).toContainEqual(['PageCountsWrong', 1]);
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(199);
  });

  test('a delete before each AWS call of a run: a right group does not count as wrong', async () => {
    const index = sealer.index(account_id, 'customers');
    let deleted = 0;
    for (let number = 1, isInterrupted = true; isInterrupted; number++) {
      await index.request();
      const row = ids[(number % 2 === 0 ? 0 : 2304) + number];
      const remove = () => make.send('DELETE', `/v1/customers/${row}`);
      ({ isInterrupted } = await interruptAt(number, remove, () => sealer.run()));
      if (isInterrupted) deleted += 1;
      expect(await checkPageIndex(service, account_id, 'customers')).toBe(ROWS - deleted);
    }
    expect(deleted).toBeGreaterThan(5);
    expect(sealer.counts.filter(([metric]) => metric === 'PageCountsWrong')).toEqual([]);
  });

  test('too many rows, inserted with an old id: a recount counts them', async () => {
    await putCustomers(service, account_id, [(ids[5] as number) + 1, (ids[2399] as number) - 1]);
    await sealer.index(account_id, 'customers').request({ recount_from: 0 });
    await sealer.run();
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(ROWS + 2);
  });

  test('time is up after each group: the next run continues with the next one', async () => {
    await lose([ids[0] as number, ids[ROWS - 1] as number]);
    const index = sealer.index(account_id, 'customers');
    await index.request({ recount_from: 0 });
    const { groups } = await index.readGroups();
    expect(groups).toHaveLength(2);
    // The time of the first run ends with its first correction, a transaction.
    let remaining = 60_000;
    faults.plan(({ command }) => {
      if (command === 'TransactWriteItemsCommand') remaining = 1000;
      return undefined;
    });
    await sealer.runRound(() => remaining);
    expect(await index.findRequest()).toMatchObject({ recount_from: groups[1]?.id });
    faults.plan();
    await sealer.run();
    expect(await index.findRequest()).toBeUndefined();
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(ROWS - 2);
  });

  test('a delete before each AWS call of a recount: the index counts both', async () => {
    await lose([ids[10] as number]);
    const index = sealer.index(account_id, 'customers');
    let deleted = 0;
    for (let number = 1, isInterrupted = true; isInterrupted; number++) {
      await index.request({ recount_from: 0 });
      const remove = () => make.send('DELETE', `/v1/customers/${ids[100 + number]}`);
      ({ isInterrupted } = await interruptAt(number, remove, () => sealer.run()));
      if (isInterrupted) deleted += 1;
      expect(await checkPageIndex(service, account_id, 'customers')).toBe(ROWS - 1 - deleted);
    }
    expect(deleted).toBeGreaterThan(5);
  });

  test('a row is sealed and another deleted before each AWS call of a recount: the index counts both', async () => {
    await putRows(200);
    await sealAgain();
    const index = sealer.index(account_id, 'customers');
    const last = ids.at(-1) as number;
    for (let number = 1, isInterrupted = true; isInterrupted; number++) {
      await index.request({ recount_from: 0 });
      const compete = async () => {
        await putCustomers(service, account_id, [last + number]);
        await sealer.seal(account_id, 'customers');
        await make.send('DELETE', `/v1/customers/${ids[number]}`);
      };
      ({ isInterrupted } = await interruptAt(number, compete, () => sealer.run()));
      expect(await checkPageIndex(service, account_id, 'customers')).toBe(200);
    }
  });
});
