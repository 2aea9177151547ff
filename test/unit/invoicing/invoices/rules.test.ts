import { expect, test } from '@jest/globals';
import {
  amountDue,
  amountSettled,
  cancelInvoice,
  checkDeletable,
  createInvoice,
  DEFAULT_TERMS,
  INVOICE_STATUSES,
  type Invoice,
  type InvoiceStatus,
  type InvoiceTerms,
  replacedInvoice,
} from '#shared/invoicing/invoices/rules.ts';
import { applyMergePatch } from '#shared/platform/entity.ts';
import fc from '#test/support/random/fast-check.ts';
import { cents, copyOf, currency, invoice, partOf, terms } from '../arbitrary.ts';
import { problemOf } from '../problem.ts';
import { patchInvoice, replaceInvoice } from './change.ts';

const THEN = '2026-01-01T00:00:00.000Z';
const AT = '2026-11-21T09:30:00.000Z';

const draft = createInvoice(
  {
    ...DEFAULT_TERMS,
    status: 'draft',
    total_cents: 1000,
    currency: 'EUR',
    customer_id: 5,
    due_date: '2026-12-24',
    description: 'Work',
    metadata: { a: '1' },
  },
  { id: 7, at: THEN },
);

/** One invoice in each state. */
const STATES = {
  draft,
  open: { ...draft, status: 'open' },
  'open, partly paid': { ...draft, status: 'open', amount_paid_cents: 400 },
  paid: { ...draft, status: 'paid', amount_paid_cents: 1000, paid_at: THEN },
  'paid outside': { ...draft, status: 'paid', paid_at: THEN },
  canceled: { ...draft, status: 'canceled', canceled_at: THEN },
} as const satisfies Record<string, Invoice>;

type State = keyof typeof STATES;

const TERMS = Object.keys(DEFAULT_TERMS) as (keyof InvoiceTerms)[];

const writableFields = (one: Invoice): InvoiceTerms =>
  Object.fromEntries(TERMS.map((name) => [name, one[name]])) as unknown as InvoiceTerms;

type Rule = readonly [from: State, to: InvoiceStatus, outcome: 'unchanged' | 'changed' | 'invalid-transition'];

/** The status changes of CONTRACT §4: each other change of the status is invalid. */
const PERMITTED: Readonly<Record<State, readonly InvoiceStatus[]>> = {
  draft: ['open'],
  open: ['paid'],
  'open, partly paid': ['paid'],
  paid: [],
  'paid outside': [],
  canceled: [],
};
const RULES = (Object.keys(STATES) as State[]).flatMap((from) =>
  INVOICE_STATUSES.map((to): Rule => {
    if (to === STATES[from].status) return [from, to, 'unchanged'];
    return [from, to, PERMITTED[from].includes(to) ? 'changed' : 'invalid-transition'];
  }),
);

const checkRule = (change: (before: Invoice, status: InvoiceStatus) => Invoice, [from, to, outcome]: Rule): void => {
  const before: Invoice = STATES[from];
  if (outcome === 'invalid-transition') {
    expect(problemOf(() => change(before, to))).toMatchObject({ code: outcome, facts: { field: 'status' } });
  } else if (outcome === 'unchanged') {
    expect(change(before, to)).toBe(before);
  } else {
    const paid_at = to === 'paid' ? AT : null;
    expect(change(before, to)).toEqual({ ...before, status: to, paid_at, version: 2, updated_at: AT });
  }
};

test.each(RULES)('PATCH or PUT of the status, %s → %s: %s [CONTRACT §4]', (...rule) => {
  checkRule((before, status) => patchInvoice(before, { status }, AT), rule);
  checkRule((before, status) => replaceInvoice(before, { ...writableFields(before), status }, AT), rule);
});

test.each(Object.keys(STATES) as State[])('PUT without a status (%s): no change [CONTRACT §4]', (state) => {
  const { status: _, ...rest } = writableFields(STATES[state]);
  expect(replaceInvoice(STATES[state], rest, AT)).toBe(STATES[state]);
});

test('PUT without a total and a currency: their defaults; every other field is replaced [CONTRACT §4]', () => {
  const { status: _, ...plain } = DEFAULT_TERMS;
  const { total_cents: __, currency: ___, ...rest } = plain;
  expect(replaceInvoice(STATES.open, rest, AT)).toEqual({ ...STATES.open, ...plain, version: 2, updated_at: AT });
});

test('PUT without a total: 0, but the total of an itemized invoice stays [CONTRACT §4]', () => {
  const { total_cents: _, ...rest } = writableFields(STATES.open);
  expect(replaceInvoice(STATES.open, rest, AT)).toMatchObject({ total_cents: 0, currency: 'EUR', version: 2 });
  const itemized = { ...STATES.open, item_ids: [1] };
  expect(replaceInvoice(itemized, rest, AT)).toBe(itemized);
});

test('PUT without a currency: USD, but the currency of an invoice with payments or items stays [CONTRACT §4]', () => {
  const { currency: _, ...rest } = writableFields(STATES.open);
  expect(replaceInvoice(STATES.open, rest, AT)).toMatchObject({ total_cents: 1000, currency: 'USD', version: 2 });
  for (const before of [
    STATES['open, partly paid'],
    STATES.paid,
    { ...STATES.open, item_ids: [1] },
    { ...STATES.draft, item_ids: [1] },
  ]) {
    const { status } = before;
    expect(replaceInvoice(before, { ...rest, status }, AT)).toBe(before);
    expect(problemOf(() => replaceInvoice(before, { ...rest, status, currency: 'USD' }, AT)).code).toBe(
      status === 'paid' ? 'invoice-closed' : 'currency-locked',
    );
  }
});

test.each<[State, Partial<InvoiceTerms>, number]>([
  ['draft', { status: 'paid' }, 1000],
  ['open', { status: 'paid' }, 1000],
  ['open', { status: 'paid', total_cents: 1 }, 1000],
  ['open', { status: 'paid', total_cents: 1001 }, 1001],
  ['open, partly paid', { status: 'paid' }, 600],
  ['open, partly paid', { status: 'paid', total_cents: 400 }, 600],
  ['open, partly paid', { status: 'paid', total_cents: 1 }, 600],
  ['open, partly paid', { total_cents: 400 }, 0],
  ['open', { status: 'open', total_cents: 9_000_000 }, 0],
  ['open', { total_cents: 9_000_000 }, 0],
  ['paid', { status: 'paid', total_cents: 9_000_000 }, 0],
  ['canceled', { status: 'paid', total_cents: 9_000_000 }, 0],
])('the amount that PATCH or PUT settles (%s, %j): %i [CONTRACT §2]', (state, change, expected) => {
  const before: Invoice = STATES[state];
  expect(amountSettled(before, applyMergePatch<InvoiceTerms, Invoice>(before, change))).toBe(expected);
  expect(amountSettled(before, replacedInvoice(before, { ...writableFields(before), ...change }))).toBe(expected);
});

test('PUT of status paid without a total: the amount due before it is settled [CONTRACT §2]', () => {
  const { total_cents: _, ...rest } = writableFields(STATES.open);
  expect(amountSettled(STATES.open, replacedInvoice(STATES.open, { ...rest, status: 'paid' }))).toBe(1000);
});

test('a new invoice: its terms, version 1 and nothing paid [CONTRACT §4, §7]', () => {
  fc.assert(
    fc.property(terms, fc.constantFrom('draft' as const, 'open' as const), (one, status) => {
      const firstVersion = { id: 9, version: 1, created_at: AT, updated_at: AT };
      const unpaid = { amount_paid_cents: 0, item_ids: [], paid_at: null, canceled_at: null };
      expect(createInvoice({ ...one, status }, { id: 9, at: AT })).toEqual({
        ...one,
        status,
        ...firstVersion,
        ...unpaid,
      });
    }),
  );
});

test.each<[State, number]>([
  ['draft', 1000],
  ['open', 1000],
  ['open, partly paid', 600],
  ['paid', 0],
  ['paid outside', 0],
  ['canceled', 0],
])('amount_due_cents (%s): %i [CONTRACT §4]', (state, due) => {
  expect(amountDue(STATES[state])).toBe(due);
});

test.each<[number, 'open' | 'paid' | 'total-below-paid']>([
  [0, 'total-below-paid'],
  [399, 'total-below-paid'],
  [400, 'paid'],
  [401, 'open'],
  [1001, 'open'],
])('a change of the total to %i with 400 paid: %s [CONTRACT §4]', (total_cents, outcome) => {
  const before = STATES['open, partly paid'];
  const changes = [
    () => patchInvoice(before, { total_cents }, AT),
    () => replaceInvoice(before, { ...writableFields(before), total_cents }, AT),
  ];
  for (const change of changes) {
    if (outcome === 'total-below-paid') {
      expect(problemOf(change)).toMatchObject({ code: outcome, facts: { amount: 'total_cents' } });
    } else {
      const paid_at = outcome === 'paid' ? AT : null;
      expect(change()).toEqual({ ...before, total_cents, status: outcome, paid_at, version: 2, updated_at: AT });
    }
  }
});

test('a total of 0 with nothing paid: the invoice is not settled [CONTRACT §4]', () => {
  expect(patchInvoice(STATES.open, { total_cents: 0 }, AT)).toMatchObject({ status: 'open', paid_at: null });
  expect(patchInvoice({ ...draft, total_cents: 0 }, { status: 'open' }, AT)).toMatchObject({
    status: 'open',
    paid_at: null,
  });
});

test('a total below the amount paid, with status paid in the same PATCH: total-below-paid [CONTRACT §4]', () => {
  const change = () => patchInvoice(STATES['open, partly paid'], { status: 'paid', total_cents: 399 }, AT);
  expect(problemOf(change).code).toBe('total-below-paid');
});

test('a change of the currency of an invoice with payments: currency-locked [CONTRACT §4]', () => {
  const before = STATES['open, partly paid'];
  const locked = { code: 'currency-locked', facts: { field: 'currency' } };
  expect(problemOf(() => patchInvoice(before, { currency: 'USD' }, AT))).toMatchObject(locked);
  expect(problemOf(() => replaceInvoice(before, { ...writableFields(before), currency: 'USD' }, AT))).toMatchObject(
    locked,
  );
  expect(patchInvoice(before, { currency: 'EUR' }, AT)).toBe(before);
  for (const free of [STATES.draft, STATES.open]) {
    expect(patchInvoice(free, { currency: 'USD' }, AT)).toEqual({
      ...free,
      currency: 'USD',
      version: 2,
      updated_at: AT,
    });
  }
});

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x']));

const CLOSED = ['paid', 'paid outside', 'canceled'] as const;
const metadata = { b: '2' };

test.each(CLOSED)(
  'an invoice that is closed (%s), PATCH or PUT of any field but metadata: invoice-closed [CONTRACT §4]',
  (state) => {
    const before: Invoice = STATES[state];
    const isRefused = (change: Partial<InvoiceTerms>) => {
      expect(problemOf(() => patchInvoice(before, change, AT)).code).toBe('invoice-closed');
      const replacement = { ...writableFields(before), ...change };
      expect(problemOf(() => replaceInvoice(before, replacement, AT)).code).toBe('invoice-closed');
    };
    fc.assert(
      fc.property(terms, ({ metadata: _, ...others }) => {
        for (const [field, value] of Object.entries(others)) {
          if (value === before[field as keyof Invoice]) continue;
          isRefused({ [field]: value });
          isRefused({ [field]: value, metadata });
        }
      }),
    );
  },
);

test.each(CLOSED)(
  'an invoice that is closed (%s), PATCH or PUT of metadata: only the metadata changes [CONTRACT §4]',
  (state) => {
    const before: Invoice = STATES[state];
    const changed = { ...before, version: 2, updated_at: AT };
    expect(patchInvoice(before, { metadata, status: before.status }, AT)).toEqual({
      ...changed,
      metadata: { ...before.metadata, ...metadata },
    });
    expect(replaceInvoice(before, { ...writableFields(before), metadata }, AT)).toEqual({ ...changed, metadata });
    expect(problemOf(() => patchInvoice(before, { metadata: pairs(20) }, AT)).code).toBe('validation-failed');
  },
);

test('PATCH or PUT that changes nothing, in any state: the same invoice object [CONTRACT §4]', () => {
  const parts = invoice.chain((one) => fc.tuple(fc.constant(one), partOf(writableFields(one))));
  fc.assert(
    fc.property(parts, ([one, part]) => {
      expect(patchInvoice(one, copyOf(part), AT)).toBe(one);
      expect(replaceInvoice(one, copyOf(writableFields(one)), AT)).toBe(one);
    }),
  );
});

/** Any PATCH, also an empty PATCH and a PATCH that changes nothing. */
const patch = fc.record(
  {
    status: fc.constantFrom<InvoiceStatus>('draft', 'open', 'paid', 'canceled'),
    total_cents: cents,
    currency,
    description: fc.constantFrom(null, 'x', 'y'),
  },
  { requiredKeys: [], noNullPrototype: true },
);

test('any PATCH or PUT: paid ≤ total, amount due ≥ 0, and an invoice paid in full has status paid [CONTRACT §4]', () => {
  fc.assert(
    fc.property(invoice, patch, fc.boolean(), (before, patch, patches) => {
      let after: Invoice;
      try {
        after = patches
          ? patchInvoice(before, patch, AT)
          : replaceInvoice(before, { ...writableFields(before), ...patch }, AT);
      } catch {
        return;
      }
      expect(after.amount_paid_cents).toBe(before.amount_paid_cents);
      expect(after.amount_paid_cents).toBeLessThanOrEqual(after.total_cents);
      expect(amountDue(after)).toBeGreaterThanOrEqual(0);
      if (after.status === 'open' && after.amount_paid_cents > 0) expect(amountDue(after)).toBeGreaterThan(0);
      expect([after.paid_at !== null, after.canceled_at !== null]).toEqual([
        after.status === 'paid',
        after.status === 'canceled',
      ]);
      if (after !== before) {
        expect(['draft', 'open']).toContain(before.status);
        expect(after).toMatchObject({ id: before.id, created_at: before.created_at, updated_at: AT });
        expect(after.version).toBe(before.version + 1);
      }
    }),
    { numRuns: 500 },
  );
});

test.each<[State, 'canceled' | 'unchanged' | 'invoice-not-cancelable']>([
  ['draft', 'canceled'],
  ['open', 'canceled'],
  ['open, partly paid', 'invoice-not-cancelable'],
  ['paid', 'invoice-not-cancelable'],
  ['paid outside', 'invoice-not-cancelable'],
  ['canceled', 'unchanged'],
])('cancel of an invoice (%s): %s [CONTRACT §4]', (state, outcome) => {
  const before: Invoice = STATES[state];
  if (outcome === 'unchanged') expect(cancelInvoice(before, AT)).toBe(before);
  else if (outcome === 'invoice-not-cancelable') expect(problemOf(() => cancelInvoice(before, AT)).code).toBe(outcome);
  else {
    const after = { ...before, status: 'canceled', canceled_at: AT, version: 2, updated_at: AT };
    expect(cancelInvoice(before, AT)).toEqual(after);
  }
});

test.each<[State, 'deletable' | 'invoice-has-payments' | 'invoice-closed']>([
  ['draft', 'deletable'],
  ['open', 'deletable'],
  ['open, partly paid', 'invoice-has-payments'],
  ['paid', 'invoice-has-payments'],
  ['paid outside', 'invoice-closed'],
  ['canceled', 'deletable'],
])('DELETE of an invoice (%s): %s [CONTRACT §4, §12]', (state, outcome) => {
  const check = () => checkDeletable(STATES[state]);
  if (outcome === 'deletable') expect(check).not.toThrow();
  else expect(problemOf(check).code).toBe(outcome);
});
