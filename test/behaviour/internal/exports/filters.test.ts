import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { EXPORTED_RESOURCES } from '#shared/invoicing/exported-resources.ts';
import { EXPORT_FORMATS } from '#shared/invoicing/exports/rules.ts';
import { EXPORT_TYPES, EXPORTED, type ExportType } from '#shared/invoicing/index.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import fc from '#test/support/random/fast-check.ts';
import { createNamed } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type Exports, startExports } from '#test/support/service/exports.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';

type Json = Answer['json'];

let service: Exports;
const caller = { account: newAccount() };
const rows: Record<string, Json[]> = {};

/** Few values, so that filters match rows. */
const EMAILS = ['a@example.com', 'b@example.com', null];
const STATUSES = ['draft', 'open', 'paid', 'canceled'];

beforeAll(async () => {
  service = await startExports();
  const make = makers(service, caller);
  const chance = chances(SEED);
  const random = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const customers: Json[] = [];
  for (let i = 0; i < 12; i++) customers.push(await make.customer({ email: random(EMAILS) }));
  for (let i = 0; i < 40; i++) {
    const customer_id = random([null, ...customers.slice(0, 4).map(({ id }) => id)]);
    const invoice = await make.invoice({ total_cents: 100, customer_id, status: random(['draft', 'open']) });
    if (invoice.status === 'open' && i % 2) {
      const payment = await make.payment(invoice.id, random([40, 100]));
      if (i % 3) for (const amount_cents of [5, 6]) await make.refund(payment.id, { amount_cents });
    } else if (i % 5 === 0) await make.create(`invoices/${invoice.id}/cancel`);
  }
  for (const type of EXPORT_TYPES) await createNamed(service, `${EXPORTED[type].type}_id`, caller);
  for (const type of EXPORT_TYPES) rows[type] = await make.list(`/v1/${type}?limit=100`);
});
afterAll(() => service.stop());

/** The rows that match a filter, by the simplest reading of the contract. */
const expected = (type: ExportType, { created_from, created_before, ...values }: Json): Json[] =>
  (rows[type] as Json[]).filter(
    (row) =>
      Object.entries(values).every(([name, value]) => row[name] === value) &&
      (created_from === undefined || row.created_at >= created_from) &&
      (created_before === undefined || row.created_at < created_before),
  );

/** Filters of a type, with values that occur in its rows and other values. */
const filters = (type: ExportType): fc.Arbitrary<Json> => {
  const all = rows[type] as Json[];
  const times = fc
    .tuple(fc.constantFrom(...all.map(({ created_at }) => created_at)), fc.constantFrom(-1, 0, 1))
    .map(([time, shift]) => new Date(Date.parse(time) + shift).toISOString());
  const bounds = fc.oneof(
    { weight: 5, arbitrary: times },
    fc.constantFrom('1999-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'),
  );
  const { filters: names, unexportedFilters = [] } = EXPORTED_RESOURCES[type] as ResourceEntry;
  const values = names.flatMap((name) => {
    if (unexportedFilters.includes(name)) return [];
    const matching = all.map((row) => row[name]).filter((value) => value !== null);
    const others = name === 'status' ? STATUSES : name === 'email' ? ['c@example.com'] : [1];
    return [[name, fc.constantFrom(...matching, ...others)]];
  });
  return fc.record(
    { ...Object.fromEntries(values), created_from: bounds, created_before: bounds },
    { requiredKeys: [] },
  );
};

test.each(EXPORT_TYPES)(
  'an export of %s with any filter: the file has the rows that match the filter [CONTRACT §4]',
  async (type) => {
    const cases = fc.record({ filter: filters(type), format: fc.constantFrom(...EXPORT_FORMATS) });
    await fc.assert(
      fc.asyncProperty(cases, async ({ filter, format }) => {
        const id = await service.request({ type, format, filter }, caller);
        // A filter that ends now delays the start of the job.
        await service.at(1, () => service.work([{ account_id: caller.account, export_id: id }]));
        const job = await service.job(id, caller);
        const matching = expected(type, filter);
        expect([job.status, job.row_count, job.filter]).toEqual(['completed', matching.length, filter]);
        const text = (await service.read(`${caller.account}/${id}/1.${format}`)).toString();
        const lines = text
          .split(/\r?\n/)
          .filter(Boolean)
          .slice(format === 'csv' ? 1 : 0);
        const ids = lines.map((line) => Number(format === 'csv' ? line.split(',')[0] : JSON.parse(line).id));
        expect(ids).toEqual(matching.map((row) => row.id));
      }),
      { numRuns: extent({ full: 40, part: 2 }) },
    );
  },
);

test('filters that no index serves together: 422 that names a filter [CONTRACT §9]', async () => {
  const entry = EXPORTED_RESOURCES.invoices as { indexes: readonly (readonly string[])[] };
  jest.replaceProperty(entry, 'indexes', [['status'], ['customer_id']]);
  const body = { type: 'invoices', format: 'csv', filter: { status: 'open', customer_id: 1 } };
  const { status, json } = await service.send('/v1/exports', { method: 'POST', body, as: caller });
  jest.restoreAllMocks();
  expect([status, json.errors]).toEqual([
    422,
    [{ pointer: '/filter/customer_id', code: 'not-allowed', detail: 'no index has these filters' }],
  ]);
});
