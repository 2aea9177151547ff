import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createId } from '#shared/platform/id.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { FAULTS, type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import {
  checkPageIndex,
  createSealer,
  indexRows,
  putCustomers,
  putOldCustomers,
  type Sealer,
} from '#test/support/state/pages.ts';
import { until } from '#test/support/waiting/until.ts';

let service: LocalService;
let faults: Faults;
let sealer: Sealer;
let make: Makers;
let account_id: string;
beforeAll(async () => {
  service = await startService();
  faults = injectFaults(service.client);
  sealer = createSealer(service);
});
afterAll(() => service.stop());
beforeEach(() => {
  stopClock();
  account_id = newAccount();
  make = makers(service, { account: account_id });
});
afterEach(() => {
  faults.plan();
  jest.useRealTimers();
});

const put = (count: number) => putOldCustomers(service, account_id, count);
const request = () => sealer.index(account_id, 'customers').findRequest();
const page = (number = 1) => make.send('GET', `/v1/customers?page=${number}`);

test('a list by page number with a long tail: asks for sealing, other lists do not ask', async () => {
  await put(48);
  await page();
  expect(await request()).toBeUndefined();
  await make.customer();
  await make.send('GET', '/v1/customers?limit=100');
  await make.send('GET', '/v1/customers?page=1&email=x@y');
  expect(await request()).toBeUndefined();
  await page(2);
  const first = await request();
  expect(first).toMatchObject({ due_at: Date.now(), asked_at: Date.now() });
  jest.setSystemTime(Date.now() + 1000);
  await page();
  expect(await request()).toEqual(first);
  await sealer.run();
  await page();
  expect(await request()).toMatchObject({ due_at: Date.now() + 5000, asked_at: first?.asked_at });
});

test('a collection whose lists asked for sealing: sealed until ten minutes have passed without a request', async () => {
  const minutes = (count: number) => jest.setSystemTime(Date.now() + count * 60_000);
  const insert = async (): Promise<void> => {
    const ids = Array.from({ length: 50 }, (_, i) => createId(new Date().toISOString(), i));
    await putCustomers(service, account_id, ids);
  };
  const sealLater = async (): Promise<number> => {
    minutes(1);
    await sealer.run();
    return checkPageIndex(service, account_id, 'customers');
  };
  await put(60);
  await page();
  await insert();
  expect(await sealLater()).toBe(110);
  await insert();
  expect(await sealLater()).toBe(160);
  minutes(4);
  await insert();
  await sealer.run();
  await page();
  const asked_at = Date.now();
  expect(await request()).toMatchObject({ asked_at });
  minutes(9);
  await sealer.run();
  expect(await request()).toMatchObject({ asked_at });
  minutes(1);
  await sealer.run();
  expect(await request()).toBeUndefined();
});

test('the first run activates the index: a delete that found no index may commit until rows are sealed, and is not counted', async () => {
  const ids = await put(60);
  await page();
  const seal = () => sealer.seal(account_id, 'customers');
  const sealed = () => checkPageIndex(service, account_id, 'customers');
  await seal();
  await make.send('DELETE', `/v1/customers/${ids[0]}`);
  jest.setSystemTime(Date.now() + 19_999);
  await seal();
  expect(await sealed()).toBe(0);
  jest.setSystemTime(Date.now() + 1);
  await seal();
  expect(await sealed()).toBe(59);
});

test('an account that reads no page by number: a delete does not write to the page index', async () => {
  const [id] = await put(1);
  await make.send('DELETE', `/v1/customers/${id}`);
  expect(await indexRows(service, `${account_id}#customers`)).toEqual([]);
});

describe('a run with a collection to seal', () => {
  const roundsOf = ({ counts }: Sealer): number =>
    counts.filter(([metric]) => metric === 'SealingOverdueSeconds').length;
  const begin = async () => {
    await put(60);
    await page();
    const own = createSealer(service);
    await own.activate();
    const stopping = new AbortController();
    return { own, stopping, running: own.runRounds(stopping.signal) };
  };

  test('the process stops during the pause after a round: the run ends at once, after one round', async () => {
    const { own, stopping, running } = await begin();
    await until(() => roundsOf(own) > 0);
    stopping.abort();
    await running;
    // A pause that does not end would be followed by a second round.
    expect(roundsOf(own)).toBe(1);
  });

  deepTest('the process runs on: the next round begins after the pause', async () => {
    const { own, stopping, running } = await begin();
    await until(() => roundsOf(own) === 2);
    stopping.abort();
    await running;
  });
});

test.each(FAULTS)('%s at the request for sealing: the page is the same', async (kind) => {
  await put(60);
  faults.plan(({ command }) => (command === 'UpdateItemCommand' ? kind : undefined));
  const { status, json } = await page(3);
  expect([status, json.total_count, json.data.length]).toEqual([200, 60, 20]);
  expect(faults.attempts).toContain('UpdateItemCommand');
});

test('requests for sealing: a run reports the age of the oldest request, 0 without a request, nothing without time to read all requests', async () => {
  const overdueOf = async (remaining?: number): Promise<unknown[]> => {
    const one = createSealer(service);
    await one.activate();
    await one.runRound(remaining === undefined ? undefined : () => remaining);
    return one.counts.filter(([metric]) => metric === 'SealingOverdueSeconds').map(([, seconds]) => seconds);
  };
  // Ends the requests of other tests.
  jest.setSystemTime(Date.now() + 11 * 60_000);
  await sealer.run();
  expect(await overdueOf()).toEqual([0]);
  await sealer.index(account_id, 'customers').request();
  jest.setSystemTime(Date.now() + 90_000);
  for (let i = 0; i < 40; i++) await sealer.index(`${account_id}_${i}`, 'customers').request();
  expect(await overdueOf(1000)).toEqual([]);
  expect(await overdueOf()).toEqual([90]);
  expect(await overdueOf()).toEqual([0]);
});
