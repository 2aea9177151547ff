import { isDeepStrictEqual } from 'node:util';
import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const SERIES_STATUSES = ['active', 'closed'] as const;

export const MAX_FIRST_NUMBER = 999_999_999_999;

/** The writable fields of a number series (CONTRACT §4). */
export interface NumberSeriesTerms {
  prefix: string;
  digits: number;
  first_number: number;
  status: (typeof SERIES_STATUSES)[number];
}

export interface NumberSeries extends NumberSeriesTerms, Entity {
  /** Null until a document has a number of the series. */
  readonly last_number: number | null;
  readonly last_issue_date: string | null;
}

/** The fields of a document that its number brings. */
export interface NumberFields {
  readonly number: string | null;
  readonly issued_at: string | null;
}

export const createNumberSeries = (terms: NumberSeriesTerms, creation: Creation): NumberSeries =>
  createEntity({ ...terms, last_number: null, last_issue_date: null }, creation);

/** @throws ProblemError `series-in-use` */
export const patchNumberSeries = (
  before: NumberSeries,
  patch: MergePatch<NumberSeriesTerms>,
  at: string,
): NumberSeries => {
  const after = nextVersion(before, applyMergePatch(before, patch), at);
  const { version, updated_at, status } = after;
  if (!isDeepStrictEqual({ ...before, version, updated_at, status }, after)) requireUnused(before);
  return after;
};

/** @throws ProblemError `series-in-use` */
export const requireUnused = ({ last_number }: NumberSeries): void => {
  if (last_number === null) return;
  throw new ProblemError('series-in-use', { detail: `The last number of the series is ${last_number}.` });
};

export const formatNumber = ({ prefix, digits }: NumberSeriesTerms, number: number): string =>
  `${prefix}${String(number).padStart(digits, '0')}`;

const DAY_MS = 86_400_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, DATE_LENGTH);

/**
 * Takes the next number of a series. The dates of its numbers never fall (CONTRACT §4, Numbers and issued invoices).
 * @param issue_date the day that the request names, or null
 * @throws ProblemError `series-closed`, `issue-date-out-of-order`
 */
export const takeNumber = (
  before: NumberSeries,
  issue_date: string | null,
  at: string,
): { readonly series: NumberSeries; readonly fields: Record<keyof NumberFields | 'issue_date', string> } => {
  if (before.status === 'closed') throw new ProblemError('series-closed', { field: 'series_id' });
  const [today, tomorrow] = [dateOf(Date.parse(at)), dateOf(Date.parse(at) + DAY_MS)];
  const earliest = before.last_issue_date ?? '';
  const date = issue_date ?? (today > earliest ? today : earliest);
  if (issue_date !== null && (date < earliest || date > tomorrow)) {
    const from = earliest && `from ${earliest} `;
    const detail = `The date must be ${from}until ${tomorrow}.`;
    throw new ProblemError('issue-date-out-of-order', { field: 'issue_date', detail });
  }
  const last_number = before.last_number === null ? before.first_number : before.last_number + 1;
  return {
    series: nextVersion(before, { ...before, last_number, last_issue_date: date }, at),
    fields: { number: formatNumber(before, last_number), issued_at: at, issue_date: date },
  };
};
