import * as v from 'valibot';
import type { VersionedId } from '#shared/platform/entity.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import type { IdRange, Page, PageRequest } from '#shared/platform/store/page.ts';
import { type Fields, requestSchema } from '#shared/platform/wire/field.ts';
import { parseTime } from '#shared/platform/wire/time.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { codeAndDetail } from '#shared/platform/wire/violation.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { countFitting } from './response-size.ts';

/** CONTRACT §5: a number outside these limits is a violation. */
export const PAGE_SIZE = { min: 1, max: 100, default: 20 };

const CURSOR_PARAMETERS = ['after', 'limit'];
const OFFSET_PARAMETERS = ['page', 'per_page'];
/** Bounds of `created_at` (CONTRACT §4, Filters). */
const TIME_PARAMETERS = ['created_from', 'created_before'];

export const listParameters = ({ filters }: { readonly filters: readonly string[] }, version: Version): string[] => {
  const styles = [...CURSOR_PARAMETERS, ...(version === 'v1' ? OFFSET_PARAMETERS : [])];
  return [...filters, ...TIME_PARAMETERS, 'sort', ...styles];
};

/** A requested page of a list; its links repeat path and parameters. */
export interface Listing {
  readonly request: PageRequest;
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** Identifies the list that a cursor belongs to (CONTRACT §5). */
  readonly cursorScope: string;
}

export interface ListingContext {
  readonly account: string;
  readonly path: string;
  readonly fields: Fields;
  readonly filters: readonly string[];
  readonly parameters: ReadonlyMap<string, string>;
  readonly violations: Violation[];
  readonly attributes: PageRequest['attributes'];
}

/** @throws ProblemError `invalid-cursor`; any other error becomes a violation */
export const parseListing = (context: ListingContext): Listing => {
  const { account, path, parameters, violations, attributes } = context;
  const filter = parseFilter(context);
  const order = parseOrder(parameters, violations);
  const range = parseRange(parameters, violations);
  const selection = { filter, range, order, attributes };
  const bounds = range ? [range] : [];
  const cursorScope = JSON.stringify([account, path, Object.entries(filter).sort(), order, ...bounds]);
  const readNumber = (name: string, max: number, defaultValue: number) =>
    parseNumber(name, { min: PAGE_SIZE.min, max, default: defaultValue }, parameters, violations);
  const offset = OFFSET_PARAMETERS.find((name) => parameters.has(name));
  const cursor = CURSOR_PARAMETERS.find((name) => parameters.has(name));
  if (offset && cursor) {
    violations.push({ parameter: offset, code: 'mixed-styles', detail: `cannot be combined with ${cursor}` });
  }
  const after = parameters.get('after');
  const limit = readNumber('limit', PAGE_SIZE.max, PAGE_SIZE.default);
  const page = readNumber('page', Number.MAX_SAFE_INTEGER, 1);
  const per_page = readNumber('per_page', PAGE_SIZE.max, PAGE_SIZE.default);
  const request: PageRequest = offset
    ? { style: 'offset', page, per_page, ...selection }
    : { style: 'cursor', limit, after: after === undefined ? after : decodeCursor(after, cursorScope), ...selection };
  return { request, path, parameters, cursorScope };
};

const parseNumber = (
  parameter: string,
  { min, max, default: defaultValue }: typeof PAGE_SIZE,
  parameters: ReadonlyMap<string, string>,
  violations: Violation[],
): number => {
  const text = parameters.get(parameter);
  if (text === undefined) return defaultValue;
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  violations.push({ parameter, code: 'out-of-range', detail: `must be an integer in ${min}…${max}` });
  return defaultValue;
};

const parseOrder = (parameters: ReadonlyMap<string, string>, violations: Violation[]): PageRequest['order'] => {
  const sort = parameters.get('sort') ?? 'id';
  if (sort !== 'id' && sort !== '-id') {
    violations.push({ parameter: 'sort', code: 'not-allowed', detail: 'must be id or -id' });
  }
  return sort === '-id' ? 'descending' : 'ascending';
};

/** Ids begin with the creation time, so bounds of that time are bounds of the ids. */
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

/** A value is valid if the field accepts it in a body, as text or as an integer. */
const parseFilter = ({ fields, filters, parameters, violations }: ListingContext): PageRequest['filter'] => {
  const filter: Record<string, string | number> = {};
  for (const parameter of filters) {
    const text = parameters.get(parameter);
    const field = fields[parameter];
    if (text === undefined || !field) continue;
    const schema = requestSchema(field);
    const values = /^[1-9]\d{0,15}$/.test(text) ? [text, Number(text)] : [text];
    const value = values.find((candidate) => v.is(schema, candidate));
    if (value !== undefined) filter[parameter] = value;
    else
      for (const issue of v.safeParse(schema, text).issues ?? [])
        violations.push({ parameter, ...codeAndDetail(issue) });
  }
  return filter;
};

interface PageBody {
  readonly body: string;
  readonly link: string | undefined;
}

/**
 * Serializes a page within Lambda's response limit. A page in cursor style ends early when its rows are too large
 * (CONTRACT §5).
 * @throws ProblemError `validation-failed` at `per_page` for rows that are too large in offset style
 */
export const pageBody = (
  listing: Listing,
  page: Page<VersionedId>,
  rows: readonly VersionedId[],
  toWire: (row: VersionedId) => unknown,
): PageBody => {
  const texts = rows.map((row) => JSON.stringify(toWire(row)));
  const count = countFitting(texts);
  const { pagination, link } = toEnvelope(listing, count < rows.length ? cutToFit(page, rows, count) : page);
  // Inserts the serialized rows as text, so that they are not serialized twice.
  return { body: `{"data":[${texts.slice(0, count).join()}],${JSON.stringify(pagination).slice(1)}`, link };
};

const cutToFit = (page: Page<VersionedId>, rows: readonly VersionedId[], count: number): Page<VersionedId> => {
  if ('has_more' in page) return { rows: rows.slice(0, count), has_more: true };
  // A page of the default size always fits, because the fields have limits.
  const fitting = Math.min(count, PAGE_SIZE.default);
  const detail = `must be at most ${fitting} here: the response would be larger than 6 MB`;
  throw new ProblemError('validation-failed', { violations: [{ parameter: 'per_page', code: 'too-large', detail }] });
};

type PaginationFields = { readonly next_cursor: string | null; readonly has_more: boolean } | Record<string, number>;

/** The members next to `data` (§2 Response envelopes), and the links (RFC 8288). */
export const toEnvelope = (
  listing: Listing,
  page: Page<VersionedId>,
): { pagination: PaginationFields; link: string | undefined } => {
  const { request, cursorScope } = listing;
  if ('has_more' in page) {
    const last = page.rows.at(-1);
    const position = page.has_more ? last?.id : page.position;
    const next_cursor = position === undefined ? null : encodeCursor(position, cursorScope);
    const links = page.has_more && next_cursor ? [linkTo(listing, 'next', { after: next_cursor })] : [];
    return { pagination: { next_cursor, has_more: page.has_more }, link: joinLinks(links) };
  }
  const { page: number, per_page } = request as Extract<PageRequest, { style: 'offset' }>;
  const { total_count } = page;
  const lastPage = Math.max(1, Math.ceil(total_count / per_page));
  const relations: [string, number][] = [];
  if (number < lastPage) relations.push(['next', number + 1]);
  if (number > 1) relations.push(['prev', Math.min(number - 1, lastPage)]);
  relations.push(['first', 1], ['last', lastPage]);
  const links = relations.map(([relation, target]) => linkTo(listing, relation, { page: String(target) }));
  return { pagination: { page: number, per_page, total_count }, link: joinLinks(links) };
};

/** Node refuses a response with more than 16 KB of headers, and many proxies refuse more than 8 or 4 KB. */
const MAX_LINK_LENGTH = 4096;

/** Omits the links that would make the header too long. A client can build them from the body. */
const joinLinks = (links: readonly string[]): string | undefined => {
  const joined = links.reduce((header, link) => {
    const longer = header === '' ? link : `${header}, ${link}`;
    return longer.length > MAX_LINK_LENGTH ? header : longer;
  }, '');
  return joined === '' ? undefined : joined;
};

const linkTo = ({ path, parameters }: Listing, relation: string, changes: Record<string, string>): string => {
  const query = new URLSearchParams({ ...Object.fromEntries(parameters), ...changes });
  return `<${path}?${query}>; rel="${relation}"`;
};
