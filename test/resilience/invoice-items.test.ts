import { afterAll, expect, test } from '@jest/globals';
import { interrupt } from '#test/support/faults/interleave.ts';
import { createPrerequisites, matrix, request } from '#test/support/requests/requests.ts';
import { startService } from '#test/support/service/local-service.ts';
import { makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

/** A change of an item reads the item and then its invoice, and another request may change both in between (CONTRACT §4). */

const service = await startService();
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});
const race = interrupt(service.client);
const { send, invoice, item, get } = makers(service, { account: newAccount() });

const HALF = 500_000_000_000;
/** More calls than a request makes that decides twice. */
const CALLS = 8;

/** Runs a race before each call of a request, and returns the number of races. */
const beforeEachCall = async (run: (number: number) => Promise<boolean>): Promise<number> => {
  let races = 0;
  for (let number = 1; number <= CALLS; number++) if (await run(number)) races += 1;
  return races;
};

test.each(['PATCH', 'PUT'])(
  '%s of an amount that is valid before and after another change of the item: never refused, and the total is the sum [CONTRACT §4]',
  async (method) => {
    const races = await beforeEachCall(async (number) => {
      const { id, path: owner } = await invoice({ status: 'draft', total_cents: 0 });
      const { path } = await item(id, HALF);
      const change = (unit_amount_cents: number) =>
        send(method, path, { unit_amount_cents, ...(method === 'PUT' && { invoice_id: id, description: 'Work' }) });
      const { response, isInterrupted } = await race(
        number,
        () => change(HALF + 490_000_000_000),
        () => change(HALF + 100_000_000_000),
      );
      expect([number, ...outcome(response)]).toEqual([number, 200, undefined]);
      const { amount_cents } = await get(path);
      expect((await get(owner)).total_cents).toBe(amount_cents);
      return isInterrupted;
    });
    expect(races).toBeGreaterThan(2);
  },
);

test('PATCH of an amount that makes the total too large, while the item changes otherwise: refused [CONTRACT §4]', async () => {
  const races = await beforeEachCall(async (number) => {
    const { id } = await invoice({ status: 'draft', total_cents: 0 });
    const { path } = await item(id, HALF);
    await item(id, HALF - 100_000_000_000);
    const { response, isInterrupted } = await race(
      number,
      () => send('PATCH', path, { description: `Work ${number}` }),
      () => send('PATCH', path, { unit_amount_cents: HALF + 200_000_000_000 }),
    );
    expect([number, ...outcome(response)]).toEqual([number, 422, 'validation-failed']);
    return isInterrupted;
  });
  expect(races).toBeGreaterThan(2);
});

test('PATCH of an item that is deleted while its change is refused: 404 [CONTRACT §4]', async () => {
  const { id } = await invoice({ status: 'draft', total_cents: 0 });
  const { path } = await item(id, HALF);
  await item(id, HALF - 1);
  const { response } = await race(
    3,
    () => send('DELETE', path),
    () => send('PATCH', path, { unit_amount_cents: 2 * HALF - 1 }),
  );
  expect(outcome(response)).toEqual([404, 'not-found']);
});

test.each([
  ['DELETE', undefined, 204],
  ['PATCH', { unit_amount_cents: 0 }, 200],
] as const)(
  '%s of an item whose amount another request lowers between two reads: decided again, not 500 [CONTRACT §10]',
  async (method, body, status) => {
    const { id, path: owner } = await invoice({ total_cents: 0 });
    const { path } = await item(id, 10);
    // The item is read first, and then its invoice.
    const { response, isInterrupted } = await race(
      2,
      () => send('PATCH', path, { unit_amount_cents: 3 }),
      () => send(method, path, body),
    );
    expect([isInterrupted, response.status, (await get(owner)).total_cents]).toEqual([true, status, 0]);
  },
);

test.each(matrix.filter(([, , , { path, isWrite }]) => path.startsWith('/invoice-items') && isWrite))(
  '%s, invoice deleted before any AWS call: 404 [CONTRACT §12]',
  async (_, version, __, operation) => {
    const races = await beforeEachCall(async (number) => {
      const account = newAccount();
      const ids = await createPrerequisites(service, operation, { account });
      const { target, sent } = request(operation, version, ids);
      const { response, isInterrupted } = await race(
        number,
        () => makers(service, { account }).send('DELETE', `/v1/invoices/${ids['invoice_id']}`),
        () => service.send(target, { ...sent, as: { account } }),
      );
      if (isInterrupted) expect([number, ...outcome(response)]).toEqual([number, 404, 'not-found']);
      return isInterrupted;
    });
    expect(races).toBeGreaterThan(0);
  },
);
