import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';

const service = await startService();
afterAll(() => service.stop());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Sets the clock and the random number back to the creation of a resource, so that the next new id is its id. */
const rewind = ({ json }: Answer): void => {
  stopClock(Date.parse(json.created_at));
  jest.spyOn(Math, 'random').mockReturnValueOnce((json.id % IDS_PER_MILLISECOND) / IDS_PER_MILLISECOND);
};

const creations = operations.filter(([name]) => name.endsWith('/create') || name === 'webhook-endpoints/test');

test.each(partOf(creations, 3))(
  '%s with a new id that is taken: the resource gets another id, and the older one is unchanged [CONTRACT §3]',
  async (...[, operation]) => {
    const ids = await createPrerequisites(service, operation);
    const send = () => {
      const { target, sent } = request(operation, 'v1', ids);
      return service.send(target, { ...sent, ...((sent.body as object) && { body: sent.body }) });
    };
    const first = await send();
    const path = first.headers['location'] as string;
    const before = (await service.send(path)).text;
    rewind(first);
    const second = await send();
    const succeeded = Number(Object.keys(operation.returns)[0]);
    expect([first.status, second.status]).toEqual([succeeded, succeeded]);
    expect(second.json.id).not.toBe(first.json.id);
    expect(Math.floor(second.json.id / IDS_PER_MILLISECOND)).toBe(Math.floor(first.json.id / IDS_PER_MILLISECOND));
    expect((await service.send(path)).text).toBe(before);
  },
);

test('POST /invoices whose items would have ids that are taken: the invoice and its items get other ids [CONTRACT §3]', async () => {
  const items = [1, 2].map((unit_amount_cents) => ({ description: 'Work', unit_amount_cents }));
  const send = (idInMillisecond: number) => {
    const random = (idInMillisecond + 0.5) / (IDS_PER_MILLISECOND - items.length);
    jest.spyOn(Math, 'random').mockReturnValueOnce(random);
    return service.send('/v1/invoices', { method: 'POST', body: { items } });
  };
  stopClock();
  const first = await send(0);
  const read = async () => (await service.send(`${first.headers['location']}?expand=items`)).text;
  const before = await read();
  // The id of the first invoice's first item is free for an invoice, but the following id is not free for an item.
  const second = await send(1);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.json.id).not.toBe(first.json.id + 1);
  expect(await read()).toBe(before);
});
