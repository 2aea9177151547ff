import { PAGE_SIZE } from '#shared/platform/http/request/pagination.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { integer, type Json } from './json-schema.ts';

/** v2 has only cursor pagination (CONTRACT §4 v2). */
export const pageSchema = (row: Json, version: Version): Json => {
  const data = { type: 'array', maxItems: PAGE_SIZE.max, items: row };
  const object = { type: 'object', properties: { data, ...CURSOR_STYLE } };
  if (version === 'v2') return { ...object, required: ['data', ...Object.keys(CURSOR_STYLE)] };
  return {
    ...object,
    properties: { ...object.properties, ...OFFSET_STYLE },
    required: ['data'],
    ...eitherStyle(CURSOR_STYLE, OFFSET_STYLE),
  };
};

const CURSOR_STYLE: Json = {
  next_cursor: {
    type: ['string', 'null'],
    description: 'Send it as `after` to get the next page. Opaque. Null on the last page.',
  },
  has_more: { type: 'boolean', description: 'Whether there is a next page.' },
};

const OFFSET_STYLE: Json = {
  page: integer({ minimum: 1, description: 'The page number, from 1. Only with `page` or `per_page`.' }),
  per_page: integer({
    minimum: 1,
    maximum: PAGE_SIZE.max,
    description: 'The page size. Only with `page` or `per_page`.',
  }),
  total_count: integer({
    minimum: 0,
    description: 'The exact number of rows on all pages. Only with `page` or `per_page`.',
  }),
};

/** Requires all members of one style. With `anyOf`, generated types would give access to no member of either style. */
const eitherStyle = (...styles: readonly Json[]): Json => ({
  minProperties:
    1 + styles.reduce((least, style) => Math.min(least, Object.keys(style).length), Number.POSITIVE_INFINITY),
  dependentRequired: Object.fromEntries(
    styles.flatMap((style) => {
      const names = Object.keys(style);
      return names.map((name) => [name, names.filter((other) => other !== name)]);
    }),
  ),
});
