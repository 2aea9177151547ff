import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { type Service, startService } from '#test/support/service/service.ts';
import { ASSUMED, countUnits, dollars, monthOf, PRICES, tableOf, type Usage } from './costs.ts';
import { createRows, operations } from './operations.ts';

const DOCUMENT = join(ROOT, 'docs', 'scaling.md');
/** Matches the text between two marks of the document. */
const part = (name: string): RegExp => new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=\\n<!-- /${name} -->)`);

let service: Service;
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

testOnDynoxide.each([
  ['counted', tableOf],
  ['month', monthOf],
])('docs/scaling.md: has the counted values of the part %s (UPDATE=1 writes them)', (name, render) => {
  const text = readFileSync(DOCUMENT, 'utf8');
  if (process.env['UPDATE']) writeFileSync(DOCUMENT, text.replace(part(name), render(used)));
  else expect(part(name).exec(text)?.[0]).toBe(render(used));
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

test('the dollars of a request: those of its units, its invocation and its gateway', () => {
  const { dynamo, lambda, gateway, all } = dollars({ calls: 2, reads: 1, writes: 8 });
  expect(dynamo).toBeCloseTo(1 * PRICES.readUnits + 8 * PRICES.writeUnits);
  expect(lambda).toBeCloseTo(0.2 + 0.026 * 13.3334);
  expect(gateway).toBeCloseTo(1 + ASSUMED.logBytes * 0.0005);
  expect(all).toBeCloseTo(dynamo + lambda + gateway);
});
