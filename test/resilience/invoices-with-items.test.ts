import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { type Interrupt, interrupt } from '#test/support/faults/interleave.ts';
import type { Answer } from '#test/support/service/client.ts';
import { CLOCKS, stopClock } from '#test/support/service/clock.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

let service: LocalService;
let before: Interrupt;
beforeAll(async () => {
  service = await startService();
  before = interrupt(service.client);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});
afterAll(() => service.stop());

const MAX = 90;
const line = (unit_amount_cents: number) => ({ description: 'Work', unit_amount_cents });
const LINES = Array.from({ length: MAX }, (_, i) => line(i));

test('items whose ids are taken, or whose ids are the last of a millisecond: other ids [CONTRACT §3]', async () => {
  const make = makers(service, { account: newAccount() });
  jest.useFakeTimers({ now: Date.now(), doNotFake: [...CLOCKS] });
  const random = jest.spyOn(Math, 'random');
  // The second invoice would have the id of the first invoice's fourth item, which is free, and items with taken ids.
  random.mockReturnValueOnce(0);
  const first = await make.create('invoices', { items: LINES });
  random.mockReturnValueOnce(4.5 / (4096 - MAX));
  const second = await make.create('invoices', { items: LINES });
  expect([first.id % 4096, second.id - first.id === 4]).toEqual([0, false]);
  // In the next millisecond, no id is taken.
  jest.setSystemTime(Date.now() + 1);
  random.mockReturnValueOnce(1 - Number.EPSILON);
  const last = await make.create('invoices', { items: LINES });
  expect((last.id + MAX) % 4096).toBe(4095);
  for (const { path } of [first, second, last]) {
    const { id, items } = await make.get(`${path}?expand=items`);
    expect(items.map((item: { id: number }) => item.id)).toEqual(LINES.map((_, i) => id + 1 + i));
  }
  await checkInvariants(service, make.account_id);
});

type Make = ReturnType<typeof makers>;
type Ids = { readonly invoice: number; readonly item: number };

/** Changes while an invoice of two items with the amounts 3 and 4 is read, and the amounts afterwards. */
const CHANGES: readonly (readonly [string, (make: Make, ids: Ids) => Promise<Answer>, number[] | undefined])[] = [
  ['another quantity', (make, { item }) => make.send('PATCH', `/v1/invoice-items/${item}`, { quantity: 9 }), [27, 4]],
  [
    'another item',
    (make, { invoice }) => make.send('POST', '/v1/invoice-items', { invoice_id: invoice, ...line(5) }),
    [3, 4, 5],
  ],
  ['an item less', (make, { item }) => make.send('DELETE', `/v1/invoice-items/${item}`), [4]],
  ['the invoice is deleted', (make, { invoice }) => make.send('DELETE', `/v1/invoices/${invoice}`), undefined],
];

test.each(CHANGES)(
  '%s before any AWS call of a GET with expand=items: one of both states [CONTRACT §4]',
  async (_, change, after) => {
    for (let number = 1, isInterrupted = true; isInterrupted; number++) {
      const make = makers(service, { account: newAccount() });
      const { id: invoice, path } = await make.create('invoices', { items: [line(3), line(4)] });
      const [{ id: item }] = (await make.get(`${path}?expand=items`)).items;
      const competing = async () => expect((await change(make, { invoice, item })).status).toBeLessThan(300);
      const read = await before(number, competing, () => make.send('GET', `${path}?expand=items`));
      isInterrupted = read.isInterrupted;
      const { status, json } = read.response;
      if (status === 404) expect(after).toBeUndefined();
      else {
        const amounts = json.items.map(({ amount_cents }: { amount_cents: number }) => amount_cents);
        expect([[3, 4], after]).toContainEqual(amounts);
        expect(json.total_cents).toBe(amounts.reduce((sum: number, cents: number) => sum + cents));
      }
    }
  },
);

deepTest('items that never add up to the total: 503, never both', async () => {
  const make = makers(service, { account: newAccount() });
  const { id, path } = await make.create('invoices', { items: [line(3), line(4)] });
  const row = { TableName: service.environment['INVOICES_TABLE'], Key: { account_id: make.account_id, id } };
  const set = { UpdateExpression: 'SET total_cents = :total', ExpressionAttributeValues: { ':total': 8 } };
  await service.client.send(new UpdateCommand({ ...row, ...set }));
  const answer = await make.send('GET', `${path}?expand=items`);
  expect([...outcome(answer), answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
  expect((await make.send('GET', path)).status).toBe(200);
});

test('expand=items while DynamoDB refuses to read the items: 503 after one page, not at the time limit [CONTRACT §10]', async () => {
  const make = makers(service, { account: newAccount() });
  const { id } = await make.create('invoices', { items: LINES });
  const read = () => make.send('GET', `/v1/invoices/${id}?expand=items`);
  await retryWithoutDelay(service.client);
  const faults = injectFaults(service.client);
  faults.plan(({ command }) => (command === 'QueryCommand' ? 'throttling' : undefined));
  // The time limit does not come.
  stopClock();
  expect(outcome(await read())).toEqual([503, 'unavailable']);
  faults.plan();
  expect((await read()).json.items).toHaveLength(MAX);
});
