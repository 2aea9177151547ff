/*
 * The sums and numbers that hold at all times (CONTRACT §4). They are written from the contract alone and share no code with
 * the service, nor with the audit.
 */

type Row = Readonly<Record<string, unknown>>;
export type SummedTable = 'invoices' | 'payments' | 'refunds' | 'creditNotes' | 'numberSeries';

const cents = (rows: readonly Row[] = [], name = 'amount_cents'): number =>
  rows.reduce((sum, row) => sum + Number(row[name]), 0);
const isVoided = ({ voided_at }: Row): boolean => voided_at !== null;

/** The broken rules, each with the row that breaks it. */
export const brokenRules = (rows: Readonly<Record<SummedTable, readonly Row[]>>): string[] => {
  const by = (table: SummedTable, owner: string) => Map.groupBy(rows[table], (row) => row[owner]);
  const [payments, notes] = [by('payments', 'invoice_id'), by('creditNotes', 'invoice_id')];
  const refunds = by('refunds', 'payment_id');
  const documents = Map.groupBy(
    [...rows.invoices, ...rows.creditNotes].filter(({ number }) => number !== null),
    ({ series_id }) => series_id,
  );
  return [
    ...check(rows.invoices, (row) => invoiceRules(row, payments.get(row['id']), notes.get(row['id']))),
    ...check(rows.payments, (row) => paymentRules(row, refunds.get(row['id']))),
    ...check(rows.creditNotes, ({ amount_cents, applied_cents }) => ({
      '0 ≤ applied ≤ amount': Number(applied_cents) >= 0 && Number(applied_cents) <= Number(amount_cents),
    })),
    ...check(rows.numberSeries, (row) => seriesRules(row, documents.get(row['id']))),
  ];
};

const check = (rows: readonly Row[], rulesOf: (row: Row) => Readonly<Record<string, boolean>>): string[] =>
  rows.flatMap((row) =>
    Object.entries(rulesOf(row)).flatMap(([rule, holds]) => (holds ? [] : `not ${rule}: ${JSON.stringify(row)}`)),
  );

const invoiceRules = (
  { status, settlement, total_cents, amount_paid_cents, amount_credited_cents }: Row,
  payments: readonly Row[] = [],
  notes: readonly Row[] = [],
) => {
  const [total, paid, credited] = [Number(total_cents), Number(amount_paid_cents), Number(amount_credited_cents)];
  const isCovered = total > 0 && paid + credited >= total;
  return {
    'paid is the sum of the payments that are not voided': paid === cents(payments.filter((one) => !isVoided(one))),
    'credited is the sum of the credit notes': credited === cents(notes),
    'paid ≤ total': paid <= total,
    'credited ≤ total': credited <= total,
    'a draft has no payments and credit notes': status !== 'draft' || payments.length + notes.length === 0,
    'an open invoice has something due, or a total of 0': status !== 'open' || !isCovered,
    'a settlement exactly while paid': (settlement !== null) === (status === 'paid'),
    'payments settle what they and credit notes cover': settlement !== 'payments' || (isCovered && paid > 0),
    'a canceled invoice has no payments': status !== 'canceled' || paid === 0,
    'credit notes cancel the whole total': status !== 'canceled' || credited === 0 || credited === total,
  };
};

const paymentRules = (row: Row, refunds: readonly Row[] = []) => ({
  'refunded is the sum of the refunds': row['amount_refunded_cents'] === cents(refunds),
  'refunded ≤ amount': cents(refunds) <= Number(row['amount_cents']),
  'a voided payment has no refunds': !isVoided(row) || refunds.length === 0,
});

const seriesRules = (
  { prefix, digits, first_number, last_number, last_issue_date }: Row,
  documents: readonly Row[] = [],
) => {
  const toValue = ({ number }: Row) => Number(String(number).slice(String(prefix).length));
  const sorted = documents.toSorted((a, b) => toValue(a) - toValue(b));
  const dates = sorted.map(({ issue_date }) => String(issue_date));
  const count = last_number === null ? 0 : Number(last_number) - Number(first_number) + 1;
  const numbers = Array.from({ length: count }, (_, i) => String(Number(first_number) + i));
  return {
    'the numbers from first_number to last_number, each once':
      sorted.map(({ number }) => number).join() ===
      numbers.map((value) => `${prefix}${value.padStart(Number(digits), '0')}`).join(),
    'dates that never fall': dates.join() === dates.toSorted().join(),
    'last_issue_date is the last date': last_issue_date === (dates.at(-1) ?? null),
  };
};
