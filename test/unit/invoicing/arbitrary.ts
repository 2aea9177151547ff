import type { Customer } from '#shared/invoicing/customers/rules.ts';
import { createInvoice, type Invoice, type InvoiceTerms } from '#shared/invoicing/invoices/rules.ts';
import fc from '#test/support/random/fast-check.ts';

/** Names that every object inherits: code that trusts `in` or `[name]` fails on them. */
export const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', 'prototype'];

/** Text that the service stores: neither U+0000 nor a lone surrogate. */
export const text = (maxLength = 30): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', maxLength }).filter((one) => !one.includes('\0') && [...one].length <= maxLength);

/** The body parser rejects a member `__proto__`. */
const key = fc
  .oneof(fc.constantFrom(...INHERITED.filter((name) => name !== '__proto__')), text(40))
  .filter((name) => name !== '' && name !== '__proto__');

export const metadata = fc
  .uniqueArray(fc.tuple(key, text()), { maxLength: 20, selector: ([name]) => name })
  .map((pairs) => Object.fromEntries(pairs));

const time = fc
  .date({ min: new Date('2024-01-02T00:00:00Z'), max: new Date('2089-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

export const day = time.map((at) => at.slice(0, 10));
export const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
export const cents = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 999_999_999_999 }));
export const currency = fc.constantFrom('USD', 'EUR', 'JPY', 'KWD');

const orNull = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 3 });

const external_id = orNull(text(200).filter((one) => one !== ''));

/** The writable fields of an invoice, without its status. */
export const terms: fc.Arbitrary<Omit<InvoiceTerms, 'status'>> = fc.record({
  total_cents: cents,
  currency,
  customer_id: orNull(id),
  due_date: orNull(day),
  description: orNull(text()),
  external_id,
  series_id: fc.constant(null),
  issue_date: orNull(day),
  metadata,
});

const member = fc.record({ id, version: fc.integer({ min: 1, max: 1000 }), created_at: time, updated_at: time });

/** An address with one @, characters on both sides and no white space. */
export const email: fc.Arbitrary<string> = fc
  .tuple(text(), text())
  .map(([local, domain]) => `${local.replaceAll(/[@\s]/g, '-')}a@b${domain.replaceAll(/[@\s]/g, '-')}`);

/** Its countries are assigned codes, so that the wire schema accepts them. */
const address = fc.record(
  {
    line1: orNull(text()),
    line2: orNull(text()),
    city: orNull(text()),
    region: orNull(text()),
    postal_code: orNull(text()),
    country: orNull(fc.constantFrom('DE', 'US', 'JP')),
  },
  { requiredKeys: [], noNullPrototype: true },
);

export const details = fc.record({
  name: text().filter((name) => name !== ''),
  email: orNull(email),
  tax_id: orNull(text()),
  address: orNull(address),
  external_id,
  metadata,
});

const NOT_ISSUED = { number: null, issued_at: null, bill_to: null };

/** The fields of an invoice with or without a number. */
const issue = fc
  .record({ series_id: id, issued_at: time, issue_date: day, bill_to: orNull(details) })
  .map(({ bill_to, ...fields }) => {
    const { external_id: _, metadata: __, ...shown } = bill_to ?? {};
    return { ...fields, number: 'A-00001', bill_to: bill_to && (shown as Invoice['bill_to']) };
  });

/** Most doubles from 0 to 1 are about 0. */
const share = fc.nat(8).map((eighths) => eighths / 8);

/** The sums of an invoice that is open, that payments and credit notes settled, or that was settled outside. */
const sums = fc.tuple(cents, share, share).map(([total, part, credited]) => {
  const covered = Math.min(Math.floor(total * part), Math.max(0, total - 1));
  const rest = Math.max(1, total - covered);
  const credits = Math.floor(covered * credited);
  const paid = (amount: number) => ({ amount_paid_cents: amount, payment_count: amount > 0 ? 1 : 0 });
  return {
    total,
    open: { ...paid(covered - credits), amount_credited_cents: credits },
    settled: {
      total_cents: covered + rest,
      ...paid(rest),
      amount_credited_cents: covered + Math.floor(rest * credited),
    },
    external: { ...paid(covered), amount_credited_cents: Math.floor(total * credited) },
  };
});

/** Any invoice that CONTRACT §4 allows. */
export const invoice: fc.Arbitrary<Invoice> = fc
  .record({ terms, member, at: time, sums, issue: fc.oneof(issue, fc.constant({})) })
  .chain(({ terms, member, at, sums, issue }) => {
    const total_cents = sums.total;
    const created = createInvoice({ ...terms, total_cents, status: 'open' }, { id: member.id, at });
    const base = { ...created, ...member, ...issue };
    const paid = { ...base, status: 'paid', paid_at: at } as const;
    const canceled = { ...base, status: 'canceled', canceled_at: at } as const;
    return fc.constantFrom<Invoice>(
      { ...base, status: 'draft', ...NOT_ISSUED },
      base,
      { ...base, item_ids: [member.id] },
      { ...base, ...sums.open },
      { ...paid, settlement: 'payments', ...sums.settled },
      { ...paid, settlement: 'external', ...sums.external },
      canceled,
      { ...canceled, amount_credited_cents: total_cents },
    );
  });

export const customer: fc.Arbitrary<Customer> = fc
  .record({ details, member, invoice_count: fc.nat(5) })
  .map(({ details, member, invoice_count }) => ({
    ...details,
    ...member,
    invoice_count,
    invoice_count_changes: invoice_count,
  }));

/** Any JSON value; its objects also have the names of `INHERITED`. */
export const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 'text'),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom('a', 'b', 'c', '', ...INHERITED), fc.string()), tie('value')), {
      maxLength: 5,
    })
    .map((pairs) => Object.fromEntries(pairs)),
})).value;

/** Any subset of a value’s members. */
export const partOf = <T extends object>(whole: T): fc.Arbitrary<Partial<T>> =>
  fc
    .subarray(Object.keys(whole))
    .map((names) => Object.fromEntries(names.map((name) => [name, whole[name as keyof T]])) as Partial<T>);

/** A deep copy of a JSON value; `structuredClone` makes objects of another realm under Jest. */
export const copyOf = <T>(value: T): T => {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, copyOf(entry)])) as T;
};

/** The same JSON value with the members of its objects in reverse order. */
export const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, entry]) => [name, reversed(entry)]);
  return Object.fromEntries(members.reverse());
};
