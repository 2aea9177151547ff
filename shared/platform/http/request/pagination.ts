import * as v from 'valibot';
import type { IdRange, Page, PageRequest } from '#shared/platform/data/page.ts';
import type { VersionedId } from '#shared/platform/entity.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import type { Fields } from '#shared/platform/wire/field.ts';
import { parseTime } from '#shared/platform/wire/time.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { codeAndDetail } from '#shared/platform/wire/violation.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { countFitting } from './response-size.ts';

/** Rows of a page (CONTRACT §5): a number outside is refused, never clamped. */
const SIZE = { least: 1, most: 100, usual: 20 };

const CURSOR_PARAMETERS = ['after', 'limit'];
const OFFSET_PARAMETERS = ['page', 'per_page'];
/** Bounds of `created_at` that every list takes (CONTRACT §4, Filters). */
const TIME_PARAMETERS = ['created_from', 'created_before'];

/** The query parameters that a list takes under a version; v2 has no numbered pages. */
export const listParameters = ({ filters }: { readonly filters: readonly string[] }, version: Version): string[] => {
  const styles = [...CURSOR_PARAMETERS, ...(version === 'v1' ? OFFSET_PARAMETERS : [])];
  return [...filters, ...TIME_PARAMETERS, 'sort', ...styles];
};

/** A list as a client named it: what its cursors are bound to, and what its links keep. */
export interface Listing {
  readonly request: PageRequest;
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** What a cursor of this list is bound to (CONTRACT §5). */
  readonly list: string;
}

export interface ListingContext {
  readonly account: string;
  /** The path with its version. */
  readonly path: string;
  readonly fields: Fields;
  readonly filters: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly violations: Violation[];
  readonly attributes: PageRequest['attributes'];
}

/** @throws ProblemError `invalid-cursor`; everything else is added to the violations */
export const parseListing = (context: ListingContext): Listing => {
  const { account, path, parameters, violations, attributes } = context;
  const filter = parseFilter(context);
  const order = parseOrder(parameters, violations);
  const range = parseRange(parameters, violations);
  const selection = { filter, range, order, attributes };
  const bounds = range ? [range] : [];
  const list = JSON.stringify([account, path, Object.entries(filter).sort(), order, ...bounds]);
  const number = (name: string, most: number, usual: number) =>
    parseNumber(name, { least: SIZE.least, most, usual }, parameters, violations);
  const offset = OFFSET_PARAMETERS.find((name) => parameters.has(name));
  const cursor = CURSOR_PARAMETERS.find((name) => parameters.has(name));
  if (offset && cursor) {
    violations.push({ parameter: offset, code: 'mixed-styles', detail: `cannot be combined with ${cursor}` });
  }
  const after = parameters.get('after');
  const limit = number('limit', SIZE.most, SIZE.usual);
  const page = number('page', Number.MAX_SAFE_INTEGER, 1);
  const per_page = number('per_page', SIZE.most, SIZE.usual);
  const request: PageRequest = offset
    ? { style: 'offset', page, per_page, ...selection }
    : { style: 'cursor', limit, after: after === undefined ? after : decodeCursor(after, list), ...selection };
  return { request, path, parameters, list };
};

const parseNumber = (
  parameter: string,
  { least, most, usual }: typeof SIZE,
  parameters: ReadonlyMap<string, string>,
  violations: Violation[],
): number => {
  const text = parameters.get(parameter);
  if (text === undefined) return usual;
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  violations.push({ parameter, code: 'out-of-range', detail: `must be an integer in ${least}…${most}` });
  return usual;
};

const parseOrder = (parameters: ReadonlyMap<string, string>, violations: Violation[]): PageRequest['order'] => {
  const sort = parameters.get('sort') ?? 'id';
  if (sort !== 'id' && sort !== '-id') {
    violations.push({ parameter: 'sort', code: 'not-allowed', detail: 'must be id or -id' });
  }
  return sort === '-id' ? 'descending' : 'ascending';
};

/** Ids are times, so that bounds of the creation time are bounds of the ids. */
const parseRange = (parameters: ReadonlyMap<string, string>, violations: Violation[]): IdRange | undefined => {
  const [from, before] = TIME_PARAMETERS.map((parameter) => {
    const text = parameters.get(parameter);
    const milliseconds = text === undefined ? undefined : parseTime(text);
    if (text !== undefined && milliseconds === undefined) {
      const detail = 'must be an RFC 3339 time with seconds and offset, such as 2026-11-21T09:30:00Z';
      violations.push({ parameter, code: 'invalid-timestamp', detail });
    }
    return milliseconds === undefined ? undefined : firstIdAt(milliseconds);
  });
  if (from === undefined && before === undefined) return undefined;
  return { from: from ?? 0, before: before ?? Number.MAX_SAFE_INTEGER };
};

/** A filter's value is read as its field is: text as it stands, or an integer. */
const parseFilter = ({ fields, filters, parameters, violations }: ListingContext): PageRequest['filter'] => {
  const filter: Record<string, string | number> = {};
  for (const parameter of filters) {
    const text = parameters.get(parameter);
    const schema = fields[parameter]?.schema;
    if (text === undefined || !schema) continue;
    const values = /^[1-9]\d{0,15}$/.test(text) ? [text, Number(text)] : [text];
    const value = values.find((one) => v.is(schema, one));
    if (value !== undefined) filter[parameter] = value;
    else
      for (const issue of v.safeParse(schema, text).issues ?? [])
        violations.push({ parameter, ...codeAndDetail(issue) });
  }
  return filter;
};

/** A page of wire forms: the body, and its links (RFC 8288). */
export interface PageBody {
  readonly body: string;
  readonly link: string | undefined;
}

/**
 * Serializes a page that Lambda can return: in cursor style the page ends early when its rows are too large (CONTRACT §5).
 * @throws ProblemError `validation-failed` at `per_page` for rows that are too large in offset style
 */
export const pageBody = (
  listing: Listing,
  page: Page<VersionedId>,
  rows: readonly VersionedId[],
  write: (row: VersionedId) => unknown,
): PageBody => {
  const texts = rows.map((row) => JSON.stringify(write(row)));
  const count = countFitting(texts);
  const { numbers, link } = envelope(listing, count < rows.length ? cutToFit(page, rows, count) : page);
  // The wire forms are serialized already: only the members around them are added.
  return { body: `{"data":[${texts.slice(0, count).join()}],${JSON.stringify(numbers).slice(1)}`, link };
};

const cutToFit = (page: Page<VersionedId>, rows: readonly VersionedId[], count: number): Page<VersionedId> => {
  if ('has_more' in page) return { rows: rows.slice(0, count), has_more: true };
  // The limits of fields keep so few rows small enough, whichever they are.
  const fitting = Math.min(count, SIZE.usual);
  const detail = `must be at most ${fitting} here: the response would be larger than 6 MB`;
  throw new ProblemError('validation-failed', { violations: [{ parameter: 'per_page', code: 'too-large', detail }] });
};

type Numbers = { readonly next_cursor: string | null; readonly has_more: boolean } | Record<string, number>;

/** What surrounds the data of a page (§2 Response envelopes), and its links (RFC 8288). */
export const envelope = (listing: Listing, page: Page<VersionedId>): { numbers: Numbers; link: string | undefined } => {
  const { request, list } = listing;
  if ('has_more' in page) {
    const last = page.rows.at(-1);
    const next_cursor = page.has_more && last ? encodeCursor(last.id, list) : null;
    const link = next_cursor === null ? undefined : linkTo(listing, 'next', { after: next_cursor });
    return { numbers: { next_cursor, has_more: next_cursor !== null }, link };
  }
  const { page: number, per_page } = request as Extract<PageRequest, { style: 'offset' }>;
  const { total_count } = page;
  const final = Math.max(1, Math.ceil(total_count / per_page));
  const relations: [string, number][] = [
    ['first', 1],
    ['last', final],
  ];
  if (number > 1) relations.push(['prev', Math.min(number - 1, final)]);
  if (number < final) relations.push(['next', number + 1]);
  const link = relations.map(([relation, target]) => linkTo(listing, relation, { page: String(target) })).join(', ');
  return { numbers: { page: number, per_page, total_count }, link };
};

const linkTo = ({ path, parameters }: Listing, relation: string, changes: Record<string, string>): string => {
  const query = new URLSearchParams({ ...Object.fromEntries(parameters), ...changes });
  return `<${path}?${query}>; rel="${relation}"`;
};
