import { createHash } from 'node:crypto';
import type { AccountState } from '#infra/operations/audit/account-state.ts';
import { type Check, type Finding, REPAIR_TEXT, type Repair } from '#infra/operations/audit/check.ts';
import type { CreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { formatNumber, type NumberSeries } from '#shared/invoicing/number-series/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { nextVersion } from '#shared/platform/entity.ts';

/** An invoice or a credit note with a number. */
interface Numbered {
  readonly table: 'invoices' | 'creditNotes';
  readonly document: Invoice | CreditNote;
}

interface Issued extends Numbered {
  /** The number without the prefix. */
  readonly value: number;
}

/** The values from `first` to `last`, both included, that no document has. */
interface Gap {
  readonly first: number;
  readonly last: number;
  /** The issue date of the number before it, or of the number after it. */
  readonly date: string;
}

export const numberSeries: Check = {
  name: 'number-series',
  holds:
    'The numbers of a series are an interval from first_number to last_number, each of one invoice or credit note, and their dates never fall.',
  repairs:
    'last_number and last_issue_date rise to those of the documents. A canceled invoice takes each number that no document has, up to 1,000. Two documents with one number, and dates that fall, are left to an operator.',
  find: (state) => {
    const issued = issuedOf(state);
    return (state.rows.numberSeries as unknown as NumberSeries[]).flatMap((series) =>
      findingsOf(series, issued.get(series.id) ?? []),
    );
  },
};

const issuedOf = ({ rows }: AccountState): ReadonlyMap<number | null, Numbered[]> => {
  const documentsOf = (table: Numbered['table']): Numbered[] =>
    rows[table].map((row) => ({ table, document: row as unknown as Numbered['document'] }));
  const all = [...documentsOf('invoices'), ...documentsOf('creditNotes')];
  return Map.groupBy(
    all.filter(({ document }) => document.number !== null),
    ({ document }) => document.series_id,
  );
};

const findingsOf = (series: NumberSeries, documents: readonly Numbered[]): Finding[] => {
  const all = documents.map((one): Issued => ({ ...one, value: parseNumber(series, one.document) }));
  const issued = all.filter(({ value }) => !Number.isNaN(value)).sort((a, b) => a.value - b.value);
  // Many findings share the evidence of a series, which may have many documents.
  let evidence: string | undefined;
  const find = (detail: string, repair?: Repair): Finding => {
    evidence ??= digestOf(series, documents);
    return { table: 'numberSeries', id: series.id, detail, evidence, repair };
  };
  const foreign = all.filter(({ value }) => Number.isNaN(value));
  const twice = issued.filter(({ value }, i) => value === issued[i - 1]?.value);
  const early = issued.filter((one, i) => dateOf(one) < dateOf(issued[i - 1]));
  const isClear = foreign.length === 0 && twice.length === 0;
  return [
    ...foreign.map(({ table, document: { id, number } }) =>
      find(`The ${tables[table].noun} ${id} has the number ${number}.`),
    ),
    ...twice.map(({ document }) => find(`Two documents have the number ${document.number}.`)),
    ...early.map(({ document }) =>
      find(`The number ${document.number} has an earlier date than the number before it.`),
    ),
    ...laggingFindings(series, issued, find),
    ...gapsOf(series, issued).map((gap) => find(describeGap(series, gap), isClear ? fill(series, gap) : undefined)),
  ];
};

const digestOf = ({ version }: NumberSeries, documents: readonly Numbered[]): string => {
  const versions = documents.map(({ table, document }) => `${table} ${document.id} ${document.version}`).sort();
  return createHash('sha256').update(`${version} ${versions}`).digest('base64');
};

const dateOf = (one: Numbered | undefined): string => one?.document.issue_date ?? '';

/** NaN for a number that the series cannot have assigned. */
const parseNumber = (series: NumberSeries, { number }: Numbered['document']): number => {
  const value = Number(String(number).slice(series.prefix.length));
  return formatNumber(series, value) === number && value >= series.first_number ? value : Number.NaN;
};

const laggingFindings = (
  series: NumberSeries,
  issued: readonly Issued[],
  find: (detail: string, repair: Repair) => Finding,
): Finding[] => {
  const greatest = issued.at(-1);
  if (!greatest) return [];
  const latest = issued.map(dateOf).reduce((a, b) => (a > b ? a : b));
  const last_number = Math.max(series.last_number ?? 0, greatest.value);
  const last_issue_date = (series.last_issue_date ?? '') > latest ? series.last_issue_date : latest;
  if (series.last_number === last_number && series.last_issue_date === last_issue_date) return [];
  const detail = `Its last number is ${series.last_number} of ${series.last_issue_date}, not ${last_number} of ${last_issue_date}.`;
  const raise: Repair = ({ commit, stores, now }) =>
    commit(() =>
      stores.numberSeries.replace(series, nextVersion(series, { ...series, last_number, last_issue_date }, now())),
    );
  return [find(detail, raise)];
};

const gapsOf = (series: NumberSeries, issued: readonly Issued[]): Gap[] => {
  const after = Math.max(series.last_number ?? 0, issued.at(-1)?.value ?? 0) + 1;
  if (series.last_number === null && issued.length === 0) return [];
  const end = { value: after, date: series.last_issue_date };
  const all = [...issued.map((one) => ({ value: one.value, date: dateOf(one) })), end];
  return all.flatMap(({ value, date }, i) => {
    const before = all[i - 1];
    const first = before ? before.value + 1 : series.first_number;
    return first < value ? [{ first, last: value - 1, date: before?.date ?? date ?? '' }] : [];
  });
};

const describeGap = (series: NumberSeries, { first, last }: Gap): string => {
  const [from, to] = [first, last].map((value) => formatNumber(series, value));
  return first === last ? `No document has the number ${from}.` : `No document has the numbers ${from} to ${to}.`;
};

/** A greater gap is rather a wrong `last_number`. */
const MAX_FILLED = 1000;
/** In one transaction, with the series and the outbox. */
const MAX_INSERTS = 90;

/** @returns undefined for a gap that an operator must look at */
const fill = (series: NumberSeries, { first, last, date: issue_date }: Gap): Repair | undefined => {
  const count = last - first + 1;
  if (count > MAX_FILLED) return undefined;
  return ({ commit, stores, now, newId }) =>
    commit(() => {
      const [at, id] = [now(), newId()];
      const invoices = Array.from({ length: Math.min(count, MAX_INSERTS) }, (_, i): Invoice => {
        const terms = { ...DEFAULT_TERMS, series_id: series.id, issue_date, description: REPAIR_TEXT };
        return {
          ...createInvoice({ ...terms, status: 'canceled' }, { id: id + i, at }),
          ...{ number: formatNumber(series, first + i), issued_at: at, canceled_at: at },
        };
      });
      return [...stores.numberSeries.check(series), ...invoices.flatMap((invoice) => stores.invoices.insert(invoice))];
    });
};
