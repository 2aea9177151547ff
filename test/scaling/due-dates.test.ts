import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { countUnits, type Usage } from './units.ts';

/** The cost of the index of due dates (docs/scaling.md). */

let service: LocalService;
let takeUsage: () => Usage;
beforeAll(async () => {
  service = await startService();
  takeUsage = countUnits(service.client);
});
afterAll(() => service.stop());

const send = async (method: string, target: string, body?: object) => {
  takeUsage();
  const { json, headers } = await service.send(target, { method, ...(body && { body }) });
  return { json, path: headers['location'] as string, ...takeUsage() };
};

const DUE = { due_date: '2026-12-24' };

test('an invoice with a due date: costs one write unit more to create and to delete', async () => {
  const plain = await send('POST', '/v1/invoices', {});
  const due = await send('POST', '/v1/invoices', DUE);
  expect(due.writes - plain.writes).toBe(1);
  const [first, second] = [await send('DELETE', plain.path), await send('DELETE', due.path)];
  expect(second.writes - first.writes).toBe(1);
});

test.each([
  ['its description', {}, { description: 'x' }, 0],
  ['its due date', {}, { due_date: '2027-01-24' }, 2],
  ['its due date to null', {}, { due_date: null }, 1],
  ['its status', { status: 'draft' }, { status: 'open' }, 4],
])('a change of %s: costs these write units for the indexes', async (_, body, change, units) => {
  const { path } = await send('POST', '/v1/invoices', { ...DUE, ...body });
  const { writes } = await send('PATCH', path, change);
  const withoutIndexes = 4;
  expect(writes).toBe(withoutIndexes + units);
});

test('a list by due date, of 20 among 30 and among 330 invoices: the same calls and read units', async () => {
  const list = async () => {
    const { calls, reads } = await send('GET', '/v1/invoices?status=open&sort=due_date&due_from=2026-01-01');
    return [calls, reads];
  };
  const fill = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        service.send('/v1/invoices', { method: 'POST', body: { due_date: `2026-0${1 + (i % 9)}-0${1 + (i % 7)}` } }),
      ),
    );
  await fill(30);
  const few = await list();
  await fill(300);
  expect([few, await list()]).toEqual([
    [2, 20.5],
    [2, 20.5],
  ]);
});
