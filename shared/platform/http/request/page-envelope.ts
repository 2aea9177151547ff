import type { VersionedId } from '#shared/platform/entity.ts';
import { IDS } from '#shared/platform/http/endpoint.ts';
import { encodeCursor } from '#shared/platform/http/request/cursor.ts';
import { type Listing, PAGE_SIZE } from '#shared/platform/http/request/pagination.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Page, PageRequest } from '#shared/platform/store/page.ts';

interface PageBody {
  readonly body: string;
  readonly link: string | undefined;
}

/**
 * Serializes a page within Lambda's response limit. A page in cursor style ends early when its rows are too large
 * (CONTRACT §5).
 * @throws ProblemError `validation-failed` at `per_page` or `ids` for rows that are too large together
 */
export const pageBody = (
  listing: Listing,
  page: Page<VersionedId>,
  toWire: (row: VersionedId) => unknown,
): PageBody => {
  const { rows } = page;
  const texts = rows.map((row) => JSON.stringify(toWire(row)));
  const count = countFitting(texts);
  const { pagination, link } = toEnvelope(listing, count < rows.length ? cutToFit(listing, page, count) : page);
  // Inserts the serialized rows as text, so that they are not serialized twice.
  return { body: `{"data":[${texts.slice(0, count).join()}],${JSON.stringify(pagination).slice(1)}`, link };
};

const cutToFit = ({ parameters }: Listing, page: Page<VersionedId>, count: number): Page<VersionedId> => {
  const parameter = parameters.has(IDS) ? IDS : 'per_page';
  if ('has_more' in page && parameter !== IDS) return { rows: page.rows.slice(0, count), has_more: true };
  // A page of the default size always fits, because the fields have limits.
  const fitting = Math.min(count, PAGE_SIZE.default);
  const detail = `must be at most ${fitting}${parameter === IDS ? ' ids' : ''} here: the response would be larger than 6 MB`;
  throw new ProblemError('validation-failed', { violations: [{ parameter, code: 'too-large', detail }] });
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
    const id = page.has_more ? last?.id : page.position;
    const { sort } = request as Extract<PageRequest, { style: 'cursor' }>;
    const date = last && sort ? (Reflect.get(last, sort.by) as string) : '';
    const next_cursor = id === undefined ? null : encodeCursor({ id, date }, cursorScope);
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

/** Lambda's limit is 6,291,556 bytes of JSON, including the headers; the body is a string in this JSON. */
const MAX_BODY_BYTES = 6_000_000;

/**
 * A UTF-16 code unit of a JSON text takes at most 3 bytes inside a JSON string: as UTF-8, or as an escaped quote or
 * backslash. A JSON text has no unescaped control characters.
 */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Counts the first JSON texts that fit in one response together: at least one, because the fields' limits keep every
 * member far below the response limit.
 */
export const countFitting = (texts: readonly string[], maxBytes: number = MAX_BODY_BYTES): number => {
  const units = texts.reduce((sum, text) => sum + text.length + 1, 0);
  // Saves ordinary pages a second serialization.
  if (units * MAX_BYTES_PER_UNIT <= maxBytes) return texts.length;
  let bytes = 0;
  for (const [i, text] of texts.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(text));
    if (bytes > maxBytes) return Math.max(1, i);
  }
  return texts.length;
};
