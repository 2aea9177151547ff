import { afterAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startService();
afterAll(() => service.stop());

const RUNS = extent({ full: 100, part: 4 });
const INVOICES = 12;
/** The invoices whose index is even keep their due date and status. */
const isStable = (index: number): boolean => index % 2 === 0;
const dayOf = (day: number): string => `2026-11-${String(day).padStart(2, '0')}`;

interface Change {
  /** The number of the page before which it happens, from 0. */
  readonly page: number;
  readonly index: number;
  readonly kind: 'due date' | 'no due date' | 'paid' | 'canceled' | 'another field' | 'deleted';
  readonly day: number;
}

const CHANGES: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    page: fc.nat(5),
    index: fc.nat(INVOICES - 1),
    kind: fc.constantFrom('due date', 'no due date', 'paid', 'canceled', 'another field', 'deleted'),
    day: fc.integer({ min: 1, max: 28 }),
  }),
  { maxLength: 16 },
);

type Row = { readonly id: number; readonly due_date: string; readonly status: string };

test(`${RUNS} walks by due date while invoices are paid, moved, canceled and deleted: each page is in order, and a row that stays is in exactly one [CONTRACT §4, CONTRACT §5]`, async () => {
  const property = fc.asyncProperty(
    fc.array(fc.integer({ min: 1, max: 28 }), { minLength: INVOICES, maxLength: INVOICES }),
    CHANGES,
    fc.boolean(),
    async (days, changes, descends) => {
      const make = makers(service, { account: newAccount() });
      const ids: number[] = [];
      for (const day of days) ids.push((await make.invoice({ total_cents: 10, due_date: dayOf(day) })).id);
      const apply = ({ index, kind, day }: Change) => {
        const path = `/v1/invoices/${ids[index]}`;
        if (kind === 'another field' || isStable(index)) return make.send('PATCH', path, { description: `${day}` });
        if (kind === 'paid') return make.send('POST', '/v1/payments', { invoice_id: ids[index], amount_cents: 10 });
        if (kind === 'canceled') return make.send('POST', `${path}/cancel`);
        if (kind === 'deleted') return make.send('DELETE', path);
        return make.send('PATCH', path, { due_date: kind === 'due date' ? dayOf(day) : null });
      };
      const first = `/v1/invoices?status=open&sort=${descends ? '-' : ''}due_date&limit=3`;
      const seen: Row[] = [];
      for (let page = 0, target: string | undefined = first; target; page++) {
        for (const change of changes.filter((one) => one.page === page)) {
          // An invoice that was paid, canceled or deleted refuses the next change.
          expect((await apply(change)).status).toBeLessThan(500);
        }
        const { status, json } = await make.send('GET', target);
        expect(status).toBe(200);
        seen.push(...json.data);
        target = json.has_more ? `${first}&after=${json.next_cursor}` : undefined;
      }
      expect(seen.every((row) => row.status === 'open' && row.due_date !== null)).toBe(true);
      const keys = seen.map(({ due_date, id }) => `${due_date} ${String(id).padStart(16, '0')}`);
      expect(keys).toEqual(descends ? keys.toSorted().toReversed() : keys.toSorted());
      const counts = ids.filter((_, index) => isStable(index)).map((id) => seen.filter((row) => row.id === id).length);
      expect(counts).toEqual(counts.map(() => 1));
      await checkInvariants(service, make.account_id);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});
