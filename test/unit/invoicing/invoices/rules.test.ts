import { expect, test } from '@jest/globals';
import {
  amountDue,
  DEFAULT_TERMS,
  INVOICE_STATUSES,
  type Invoice,
  type InvoiceTerms,
  isClosed,
} from '#shared/invoicing/invoices/rules.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import fc from '#test/support/random/fast-check.ts';
import { copyOf, invoice, partOf, terms } from '../arbitrary.ts';
import { patchInvoice, replaceInvoice } from './change.ts';

const AT = '2026-11-21T09:30:00.000Z';

const TERMS = Object.keys(DEFAULT_TERMS) as (keyof InvoiceTerms)[];

const writableFields = (one: Invoice): InvoiceTerms =>
  Object.fromEntries(TERMS.map((name) => [name, one[name]])) as unknown as InvoiceTerms;

test('PATCH or PUT that changes nothing, in any state: the same invoice object [CONTRACT §4]', () => {
  const parts = invoice.chain((one) => fc.tuple(fc.constant(one), partOf(writableFields(one))));
  fc.assert(
    fc.property(parts, ([one, part]) => {
      expect(patchInvoice(one, copyOf(part), AT)).toBe(one);
      expect(replaceInvoice(one, copyOf(writableFields(one)), AT)).toBe(one);
    }),
  );
});

const PERMITTED = ['draft>draft', 'draft>open', 'open>open', 'open>paid', 'paid>paid', 'canceled>canceled'];

/** Any invoice, and a change of it; the total is often about what is paid and credited already. */
const changed = fc
  .record({
    before: invoice,
    terms,
    status: fc.constantFrom(...INVOICE_STATUSES),
    above: fc.integer({ min: -1, max: 2 }),
  })
  .chain(({ before, terms, status, above }) => {
    const covered = before.amount_paid_cents + before.amount_credited_cents;
    const total_cents = above > 1 ? terms.total_cents : Math.max(0, covered + above);
    return fc.tuple(fc.constant(before), partOf<Partial<InvoiceTerms>>({ ...terms, total_cents, status }));
  });

test('any PATCH or PUT: paid ≤ total, credited ≤ total, an open invoice has something due, and only a part of a closed or issued invoice changes [CONTRACT §4]', () => {
  fc.assert(
    fc.property(changed, fc.boolean(), ([before, change], patches) => {
      let after: Invoice;
      try {
        after = patches
          ? patchInvoice(before, copyOf(change), AT)
          : replaceInvoice(before, { ...writableFields(before), ...change }, AT);
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        return;
      }
      const { total_cents: total, amount_paid_cents: paid, amount_credited_cents: credited } = after;
      expect([paid, credited]).toEqual([before.amount_paid_cents, before.amount_credited_cents]);
      expect(Math.max(paid, credited)).toBeLessThanOrEqual(total);
      const due = isClosed(after) ? 0 : total - paid - credited;
      expect(amountDue(after)).toBe(due);
      if (after.status === 'open' && total > 0) expect(due).toBeGreaterThan(0);
      if (after.settlement === 'payments') expect(paid).toBeGreaterThan(0);
      if (!isClosed(before)) expect(paid + credited).toBeLessThanOrEqual(total);
      expect([after.paid_at !== null, after.settlement !== null, after.canceled_at !== null]).toEqual([
        after.status === 'paid',
        after.status === 'paid',
        after.status === 'canceled',
      ]);
      if (after === before) return;
      if (before.status === 'open' && after.status === 'canceled') expect([paid, credited]).toEqual([0, total]);
      else expect(PERMITTED).toContain(`${before.status}>${after.status}`);
      const { id, created_at, version } = before;
      expect(after).toMatchObject({ id, created_at, version: version + 1, updated_at: AT });
      if (isClosed(before)) {
        const { metadata, external_id } = after;
        expect(after).toEqual({ ...before, metadata, external_id, version: version + 1, updated_at: AT });
      } else if (before.number !== null) {
        const { status, due_date, metadata, external_id, paid_at, settlement } = after;
        const changed = { status, due_date, metadata, external_id, paid_at, settlement };
        expect(after).toEqual({ ...before, ...changed, version: version + 1, updated_at: AT });
      }
    }),
    { numRuns: 1000 },
  );
});
