/** The greatest body (CONTRACT §10). */
const MAX_BYTES = 262_144;

/** A body of nearly the greatest size that is expensive to check. */
export interface HostileBody {
  readonly kind: string;
  readonly route: string;
  readonly status: 200 | 201 | 400 | 422;
  /** The first violation, as `pointer code`. */
  readonly first: string;
  readonly violations: number;
  /** A function, because all bodies together have many megabytes. */
  readonly text: () => string;
}

const refused = (kind: string, route: string, first: string, violations: number, text: () => string): HostileBody => ({
  kind,
  route,
  status: 422,
  first,
  violations,
  text,
});

const unchecked = (kind: string, route: string, status: 200 | 201 | 400, text: () => string): HostileBody => ({
  kind,
  route,
  status,
  first: '',
  violations: 0,
  text,
});

/** Repeats a part until the body is full. */
const fill = (before: string, partOf: (i: number) => string, after: string, separator = ','): string => {
  const parts: string[] = [];
  let left = MAX_BYTES - Buffer.byteLength(before + after);
  for (let i = 0; ; i++) {
    const part = partOf(i);
    left -= Buffer.byteLength(part) + separator.length;
    if (left < 0) return before + parts.join(separator) + after;
    parts.push(part);
  }
};

const elements = (before: string, element: string, after: string) => () => fill(before, () => element, after);
const characters = (before: string, character: string, after: string) => () => fill(before, () => character, after, '');
/** Members with different names, which begin with the same characters. */
const members = (before: string, prefix: string, value: string, after: string) => () =>
  fill(before, (i) => `"${prefix}${i}":${value}`, after);

const fullItems = (first: string, count: number) => () => {
  const others = Array.from({ length: count }, (_, i) => `"a${i}":0`);
  return `{"items":[${Array(90)
    .fill(`{${[first, ...others].join()}}`)
    .join()}]}`;
};

const nested = (levels: number, open = '[', close = ']'): string => open.repeat(levels) + close.repeat(levels);

const INVOICES = 'POST /v1/invoices';
const INVOICES_V2 = 'POST /v2/invoices';
const INVOICE = 'PATCH /v1/invoices/{invoice_id}';
const CANCEL = 'POST /v1/invoices/{invoice_id}/cancel';
const CUSTOMERS = 'POST /v1/customers';
const EXPORTS = 'POST /v1/exports';
const ENDPOINTS = 'POST /v1/webhook-endpoints';
const ENDPOINT = 'PATCH /v1/webhook-endpoints/{webhook_endpoint_id}';

const ITEM = '{"description":"x","unit_amount_cents":1}';
const ADDRESS = '{"name":"x","address":{';
const FILTER = '{"type":"invoices","format":"csv","filter":{';
/** JSON permits these characters only with an escape. */
const ESCAPED = '\\n';
const NUL = '\\u0000';
const IN_LIST = '/items out-of-range';
const IN_TYPES = '/event_types out-of-range';

const LISTS: readonly HostileBody[] = [
  refused('131,000 numbers as items', INVOICES, IN_LIST, 1, elements('{"items":[', '1', ']}')),
  refused('87,000 empty items', INVOICES, IN_LIST, 1, elements('{"items":[', '{}', ']}')),
  refused('87,000 empty items, v2', INVOICES_V2, IN_LIST, 1, elements('{"items":[', '{}', ']}')),
  refused(
    '7,500 items in another currency, v2',
    INVOICES_V2,
    IN_LIST,
    1,
    elements('{"items":[', '{"unit_amount":{"currency":"EUR"}}', ']}'),
  ),
  refused('6,200 valid items', INVOICES, IN_LIST, 1, elements('{"items":[', ITEM, ']}')),
  refused('90 items with 320 unknown fields', INVOICES, '/items/0/a unknown-field', 90 * 322, fullItems('"a":0', 319)),
  refused(
    '90 items with another currency and 300 unknown fields, v2',
    INVOICES_V2,
    '/items/0/unit_amount/currency not-allowed',
    90 * 303,
    fullItems('"unit_amount":{"currency":"EUR"}', 300),
  ),
  refused(
    '131,000 numbers as event types',
    ENDPOINTS,
    IN_TYPES,
    1,
    elements('{"url":"https://example.com/","event_types":[', '1', ']}'),
  ),
  refused('131,000 numbers as event types', ENDPOINT, IN_TYPES, 1, elements('{"event_types":[', '1', ']}')),
  refused(
    '17,000 event types',
    ENDPOINTS,
    IN_TYPES,
    1,
    elements('{"url":"https://example.com/","event_types":[', '"invoice.paid"', ']}'),
  ),
  refused('a list of 131,000 numbers', INVOICES, ' invalid-type', 1, elements('[', '1', ']')),
];

const OBJECTS: readonly HostileBody[] = [
  refused('25,000 unknown fields', INVOICES, '/a0 unknown-field', 24_841, members('{', 'a', '0', '}')),
  refused(
    '25,000 fields of an operation without any',
    CANCEL,
    '/a0 unknown-field',
    24_841,
    members('{', 'a', '0', '}'),
  ),
  refused(
    '25,000 unknown lines of an address',
    CUSTOMERS,
    '/address/a0 unknown-field',
    24_839,
    members(ADDRESS, 'a', '0', '}}'),
  ),
  refused('25,000 unknown filters', EXPORTS, '/filter/a0 unknown-field', 24_837, members(FILTER, 'a', '0', '}}')),
  refused(
    '23,000 unknown filters, names with escapes',
    EXPORTS,
    '/filter/\n0 unknown-field',
    22_767,
    members(FILTER, ESCAPED, '0', '}}'),
  ),
  refused(
    '25,000 unknown fields, then `__proto__`',
    INVOICES,
    ' forbidden-name',
    1,
    members('{', 'a', '0', ',"__proto__":0}'),
  ),
  refused('44,000 times the same unknown field', INVOICES, '/a unknown-field', 1, elements('{', '"a":0', '}')),
  refused('24,000 pairs of metadata', INVOICES, '/metadata too-many', 1, members('{"metadata":{', 'a', '""', '}}')),
  refused('17,000 bad pairs of metadata', INVOICES, '/metadata too-many', 1, members('{"metadata":{', NUL, '0', '}}')),
  refused('17,000 bad pairs of metadata', INVOICE, '/metadata too-many', 1, members('{"metadata":{', NUL, '0', '}}')),
  refused(
    '14,000 bad names of removed pairs',
    INVOICE,
    '/metadata/\u00000 invalid-text',
    14_381,
    members('{"metadata":{', NUL, 'null', '}}'),
  ),
  unchecked('20,000 removed pairs of metadata', INVOICE, 200, members('{"metadata":{', 'a', 'null', '}}')),
];

const NESTED: readonly HostileBody[] = [
  refused('4,300 times lists of 30 levels', INVOICES, '/a unknown-field', 1, elements('{"a":[', nested(30), ']}')),
  refused(
    '1,300 times objects of 29 levels, names with escapes',
    INVOICES,
    '/a unknown-field',
    1,
    elements('{"a":[', `${nested(29, '{"\\n":', '}').replace('}', '0}')}`, ']}'),
  ),
  refused('lists of 131,000 levels', INVOICES, ' too-deep', 1, () => nested(MAX_BYTES / 2)),
  refused(
    'lists of 131,000 levels in a field with an escape',
    INVOICES,
    ' too-deep',
    1,
    () => `{"\\n":${nested(MAX_BYTES / 2 - 4)}}`,
  ),
];

const TEXTS_AND_NUMBERS: readonly HostileBody[] = [
  refused(
    'a text of 262,000 characters',
    INVOICES,
    '/description too-long',
    1,
    characters('{"description":"', 'x', '"}'),
  ),
  refused(
    'a text of 131,000 escapes',
    INVOICES,
    '/description too-long',
    1,
    characters('{"description":"', '\\n', '"}'),
  ),
  refused('a text of 65,000 emoji', INVOICES, '/description too-long', 1, characters('{"description":"', '😀', '"}')),
  refused('52,000 texts with an escape', INVOICES, '/a unknown-field', 1, elements('{"a":[', '"\\n"', ']}')),
  refused(
    'a number of 262,000 digits',
    INVOICES,
    '/total_cents invalid-type',
    1,
    characters('{"total_cents":', '1', '}'),
  ),
  refused('43,000 numbers with an exponent of 308', INVOICES, '/a unknown-field', 1, elements('{"a":[', '1e308', ']}')),
  refused(
    '10,000 numbers with 20 decimals and an exponent',
    INVOICES,
    '/a unknown-field',
    1,
    elements('{"a":[', '2.4703282292062327208e-324', ']}'),
  ),
];

/** Bodies with a fingerprint, of which an ignored field may have any value. */
const FINGERPRINTED: readonly HostileBody[] = [
  unchecked('131,000 numbers in an ignored field', INVOICES, 201, elements('{"id":[', '1', ']}')),
  unchecked('87,000 empty objects in an ignored field', INVOICES, 201, elements('{"id":[', '{}', ']}')),
  unchecked('52,000 texts with an escape in an ignored field', INVOICES, 201, elements('{"id":[', '"\\n"', ']}')),
  unchecked(
    '23,000 members of an ignored field, names with escapes',
    INVOICES,
    201,
    members('{"id":{', ESCAPED, '0', '}}'),
  ),
  unchecked('4,300 times lists of 30 levels in an ignored field', INVOICES, 201, elements('{"id":[', nested(30), ']}')),
  refused(
    '131,000 numbers, then an infinite one, in an ignored field',
    INVOICES,
    ' not-canonical',
    1,
    elements('{"id":[', '1', ',1e999]}'),
  ),
];

const MALFORMED: readonly HostileBody[] = [
  unchecked('131,000 numbers without an end', INVOICES, 400, elements('{"items":[', '1', '')),
  unchecked('23,000 fields without an end, names with escapes', INVOICES, 400, members('{', ESCAPED, '0', '')),
  unchecked('262,000 opened lists', INVOICES, 400, characters('', '[', '')),
  unchecked('white space', INVOICES, 201, characters('{', ' ', '}')),
];

export const HOSTILE_BODIES = [...LISTS, ...OBJECTS, ...NESTED, ...TEXTS_AND_NUMBERS, ...FINGERPRINTED, ...MALFORMED];
