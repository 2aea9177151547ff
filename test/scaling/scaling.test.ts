import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { createRows, operations } from './operations.ts';
import { countUnits, tableOf, type Usage } from './units.ts';

const DOCUMENT = join(ROOT, 'docs', 'scaling.md');
const COUNTED = /(?<=<!-- counted -->\n)[\s\S]*?(?=\n<!-- \/counted -->)/;

let service: LocalService;
const used: Record<string, Usage> = {};

beforeAll(async () => {
  service = await startService();
  const takeUsage = countUnits(service.client);
  await createRows(service);
  for (const [name, prepare] of Object.entries(operations)) {
    const { target, sent } = await prepare(service);
    takeUsage();
    const { status } = await service.send(target, sent);
    expect([name, status]).toEqual([name, name.startsWith('refused') ? 422 : expect.any(Number)]);
    if (!name.startsWith('refused')) expect([name, status]).toEqual([name, Math.min(status, 299)]);
    used[name] = takeUsage();
  }
});
afterAll(() => service.stop());

testOnDynoxide('docs/scaling.md: has the counted values (UPDATE=1 writes them)', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  if (process.env['UPDATE']) writeFileSync(DOCUMENT, text.replace(COUNTED, tableOf(used)));
  else expect(COUNTED.exec(text)?.[0]).toBe(tableOf(used));
});

describe('the units that docs/scaling.md states', () => {
  const of = (name: string) => used[name] as Usage;

  test('a member: one read unit; a page of 20: at most four', () => {
    expect(of('GET /invoices/{id}')).toEqual({ calls: 1, reads: 1, writes: 0, maxPerSecond: 3000 });
    expect(of('GET /invoices, 20 by cursor').reads).toBeLessThanOrEqual(4);
  });

  test('an invoice with 20 items: 2 read units more; 3 write units more for each item, and 4 for the longer outbox row', () => {
    const [one, plain] = [of('GET /invoices/{id}?expand=items, 20 items'), of('GET /invoices/{id}')];
    expect([one.calls, one.reads - plain.reads]).toEqual([2, 2]);
    const [created, flat] = [of('POST /invoices, 20 items, for a customer'), of('POST /invoices, for a customer')];
    expect([created.calls, created.writes - flat.writes]).toEqual([1, 20 * 3 + 4]);
  });

  test.each([1, 50])('page %d by number: at most 7 units more than a page by cursor', (page) => {
    const more = of(`GET /invoices?page=${page}, 20 of 1,000`).reads - of('GET /invoices, 20 by cursor').reads;
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThanOrEqual(7);
  });

  test('a request that is refused before it reads: no units', () => {
    expect(of('refused before it reads (401, 403, 415, 422)')).toEqual({
      calls: 0,
      reads: 0,
      writes: 0,
      maxPerSecond: 0,
    });
  });
});
