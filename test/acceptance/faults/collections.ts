import type { FaultsByFile } from './fault.ts';

export const collections: FaultsByFile = {
  'shared/platform/http/request/pagination.ts': [
    ['a page may have 101 rows', 'max: 100, default: 20', 'max: 101, default: 20'],
    ['pages have 25 rows by default', 'max: 100, default: 20', 'max: 100, default: 25'],
    [
      'a number above the limit is clamped',
      'const number = /^[1-9]\\d{0,15}$/.test(text) ? Number(text) : Number.NaN;',
      'const number = /^[1-9]\\d{0,15}$/.test(text) ? Math.min(max, Number(text)) : Number.NaN;',
    ],
    ['both styles may be mixed', '  if (offset && cursor) {', '  if (offset && cursor && offset === cursor) {'],
    ['a cursor is valid for other accounts', 'JSON.stringify([account, path,', 'JSON.stringify([path,'],
    ['a cursor is valid for other filters', 'Object.entries(filter).sort(), order, ...bounds]', 'order, ...bounds]'],
    ['a cursor is valid for the other order', '.sort(), order, ...bounds]', '.sort(), ...bounds]'],
    ['v2 has offset pages', "...(version === 'v1' ? OFFSET_PARAMETERS : [])", '...(version ? OFFSET_PARAMETERS : [])'],
    [
      'the last page is one too far',
      'Math.max(1, Math.ceil(total_count / per_page))',
      'Math.max(1, Math.floor(total_count / per_page) + 1)',
    ],
    ['links lose the other parameters', '{ ...Object.fromEntries(parameters), ...changes }', '{ ...changes }'],
    [
      'next_cursor is set on the last page',
      'const position = page.has_more ? last?.id : page.position;',
      'const position = last?.id ?? page.position;',
    ],
    ['sort=-id is ignored', "return sort === '-id' ? 'descending' : 'ascending';", "return 'ascending';"],
    [
      'the first page has a link to a page before it',
      'if (number > 1) relations.push',
      'if (number >= 1) relations.push',
    ],
  ],
  'shared/platform/http/request/cursor.ts': [
    [
      'an altered cursor is accepted',
      'isCanonical && digestOf(position, scope).equals(bytes.subarray(ID_BYTES))',
      'bytes.length >= ID_BYTES',
    ],
  ],
  'shared/platform/http/request/field-selection.ts': [
    [
      'an unknown field is ignored',
      'const unknown = names.filter((name) => !allowed.includes(name));',
      'const unknown: string[] = [];',
    ],
  ],
  'shared/platform/store/page-reader.ts': [
    ['a page begins at the row of the cursor', 'Math.max(from, after + 1)', 'Math.max(from, after)'],
    [
      'a page in descending order begins at the row of the cursor',
      'Math.min(before - 1, after - 1)',
      'Math.min(before - 1, after)',
    ],
    [
      'an offset page begins a row too late',
      'const offset = (request.page - 1) * request.per_page;',
      'const offset = (request.page - 1) * request.per_page + (request.page > 1 ? 1 : 0);',
    ],
    [
      'the total does not count the rows after the page',
      'const total_count = offset + rows.length + following.count;',
      'const total_count = offset + rows.length;',
    ],
    [
      'created_before is inclusive',
      '{ first: from, last: before - 1 };\n  return',
      '{ first: from, last: before + 4_095 };\n  return',
    ],
    ['lists are eventually consistent', 'ConsistentRead: !isFiltered', 'ConsistentRead: false'],
    [
      'a filtered row is not checked again',
      'conditions.every(([attribute, value]) => Reflect.get(row, attribute) === value)',
      'conditions.length > 0',
    ],
  ],
  'shared/platform/wire/time.ts': [['the offset of a time is ignored', "(sign === '-' ? -1 : 1) : 0", '0 : 0']],
};
