import * as v from 'valibot';
import { resources } from '#shared/invoicing/index.ts';
import { MAX_FIRST_NUMBER, type NumberSeriesTerms, SERIES_STATUSES } from '#shared/invoicing/number-series/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { CalendarDate, integer, nullable, oneOf, type Schema } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

const PREFIX = /^(?:[A-Z0-9/_-]{0,19}[A-Z/_-])?$/;

const Prefix: Schema<string> = v.pipe(
  v.string(issue('invalid-type', 'must be a string')),
  v.metadata({ maxLength: 20, pattern: PREFIX.source }),
  v.check(
    (value) => PREFIX.test(value),
    issue('invalid-prefix', 'must have at most 20 characters of A-Z, 0-9, /, _ and -, of which the last is no digit'),
  ),
);

export const NumberSeries = resource<NumberSeriesTerms>(resources.numberSeries, {
  prefix: required(
    Prefix,
    'The first characters of each number, such as `2026-` or `SHOP/`. It may be empty. Unique among the number series.',
  ),
  digits: optional(
    integer(1, 12),
    5,
    'The least number of digits after the prefix: zeros fill the left. A number that needs more digits has more.',
  ),
  first_number: optional(integer(1, MAX_FIRST_NUMBER), 1, 'The first number.'),
  status: optional(
    oneOf('NumberSeriesStatus', SERIES_STATUSES),
    'active',
    'A `closed` series assigns no numbers. Once a number is assigned, only `status` can change.',
  ),
  last_number: readOnly(
    nullable(integer(1, Number.MAX_SAFE_INTEGER)),
    'The last number that a document got, without the prefix; null before the first one.',
  ),
  last_issue_date: readOnly(
    nullable(CalendarDate),
    'The `issue_date` of the document with the last number, or null. The next document has the same or a later date.',
  ),
});
