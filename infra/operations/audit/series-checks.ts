import { createHash } from 'node:crypto';
import type { AccountState } from '#infra/operations/audit/account-state.ts';
import { type Check, type Finding, REPAIR_TEXT, type Repair } from '#infra/operations/audit/check.ts';
import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { formatNumber, type NumberSeries } from '#shared/invoicing/number-series/rules.ts';
import { nextVersion } from '#shared/platform/entity.ts';

/** An invoice with a number of a series. */
interface Issued {
  readonly invoice: Invoice;
  /** The number without the prefix. */
  readonly value: number;
}

/** The values from `first` to `last`, both included, that no invoice has. */
interface Gap {
  readonly first: number;
  readonly last: number;
  /** The issue date of the number before it, or of the number after it. */
  readonly date: string;
}

export const numberSeries: Check = {
  name: 'number-series',
  holds:
    'The numbers of a series are an interval from first_number to last_number, each of one invoice, and their dates never fall.',
  repairs:
    'last_number and last_issue_date rise to those of the invoices. A canceled invoice takes each number that no invoice has, up to 1,000. Two invoices with one number, and dates that fall, are left to an operator.',
  find: (state) => {
    const issued = issuedOf(state);
    return (state.rows.numberSeries as unknown as NumberSeries[]).flatMap((series) =>
      findingsOf(series, issued.get(series.id) ?? []),
    );
  },
};

const issuedOf = ({ rows }: AccountState): ReadonlyMap<number | null, Invoice[]> =>
  Map.groupBy(
    (rows.invoices as unknown as Invoice[]).filter(({ number }) => number !== null),
    ({ series_id }) => series_id,
  );

const findingsOf = (series: NumberSeries, invoices: readonly Invoice[]): Finding[] => {
  const all = invoices.map((invoice): Issued => ({ invoice, value: parseNumber(series, invoice) }));
  const issued = all.filter(({ value }) => !Number.isNaN(value)).sort((a, b) => a.value - b.value);
  // Many findings share the evidence of a series, which may have many invoices.
  let evidence: string | undefined;
  const find = (detail: string, repair?: Repair): Finding => {
    evidence ??= digestOf(series, invoices);
    return { table: 'numberSeries', id: series.id, detail, evidence, repair };
  };
  const foreign = all.filter(({ value }) => Number.isNaN(value));
  const twice = issued.filter(({ value }, i) => value === issued[i - 1]?.value);
  const early = issued.filter(({ invoice }, i) => dateOf(invoice) < dateOf(issued[i - 1]?.invoice));
  const isClear = foreign.length === 0 && twice.length === 0;
  return [
    ...foreign.map(({ invoice }) => find(`The invoice ${invoice.id} has the number ${invoice.number}.`)),
    ...twice.map(({ invoice }) => find(`Two invoices have the number ${invoice.number}.`)),
    ...early.map(({ invoice }) => find(`The number ${invoice.number} has an earlier date than the number before it.`)),
    ...laggingFindings(series, issued, find),
    ...gapsOf(series, issued).map((gap) => find(describeGap(series, gap), isClear ? fill(series, gap) : undefined)),
  ];
};

const digestOf = ({ version }: NumberSeries, invoices: readonly Invoice[]): string => {
  const versions = invoices.map((one) => `${one.id} ${one.version}`).sort();
  return createHash('sha256').update(`${version} ${versions}`).digest('base64');
};

const dateOf = (invoice: Invoice | undefined): string => invoice?.issue_date ?? '';

/** NaN for a number that the series cannot have assigned. */
const parseNumber = (series: NumberSeries, { number }: Invoice): number => {
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
  const latest = issued.map(({ invoice }) => dateOf(invoice)).reduce((a, b) => (a > b ? a : b));
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
  const all = [...issued.map(({ invoice, value }) => ({ value, date: invoice.issue_date })), end];
  return all.flatMap(({ value, date }, i) => {
    const before = all[i - 1];
    const first = before ? before.value + 1 : series.first_number;
    return first < value ? [{ first, last: value - 1, date: before?.date ?? date ?? '' }] : [];
  });
};

const describeGap = (series: NumberSeries, { first, last }: Gap): string => {
  const [from, to] = [first, last].map((value) => formatNumber(series, value));
  return first === last ? `No invoice has the number ${from}.` : `No invoice has the numbers ${from} to ${to}.`;
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
