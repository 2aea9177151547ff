import { expect, test } from '@jest/globals';
import { createNumberSeries, formatNumber, takeNumber } from '#shared/invoicing/number-series/rules.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import fc from '#test/support/random/fast-check.ts';

const AT = '2026-06-15T12:00:00.000Z';

const seriesFrom = (first_number: number, digits = 5) =>
  createNumberSeries({ prefix: 'A-', digits, first_number, status: 'active' }, { id: 1, at: AT });

/** Days around the day of a request, and requests on increasing days. */
const requests = fc.array(
  fc.record({ hours: fc.integer({ min: 0, max: 60 }), offset: fc.option(fc.integer({ min: -3, max: 3 })) }),
  { maxLength: 30 },
);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

test('any requests on any days: the numbers are an interval, the dates never fall, and a refusal takes no number [CONTRACT §4]', () => {
  const property = fc.property(requests, fc.integer({ min: 1, max: 999_999_999_999 }), (all, first) => {
    let series = seriesFrom(first);
    let now = Date.parse(AT);
    let [expected, latest] = [first, ''];
    for (const { hours, offset } of all) {
      now += hours * 3_600_000;
      const [today, tomorrow] = [dayOf(now), dayOf(now + DAY_MS)];
      const issue_date = offset === null ? null : dayOf(now + offset * DAY_MS);
      const isRefused = issue_date !== null && (issue_date < latest || issue_date > tomorrow);
      const take = () => takeNumber(series, issue_date, new Date(now).toISOString());
      if (isRefused) {
        expect(take).toThrow(ProblemError);
        continue;
      }
      const { series: after, fields } = take();
      expect(fields.issue_date).toBe(issue_date ?? (today > latest ? today : latest));
      expect(fields.number).toBe(`A-${String(expected).padStart(5, '0')}`);
      series = after;
      latest = fields.issue_date;
      expect(series).toMatchObject({ last_number: expected, last_issue_date: latest });
      expected += 1;
    }
  });
  fc.assert(property);
});

test('two numbers of a series: different texts, also beyond its digits [CONTRACT §4]', () => {
  const number = fc.integer({ min: 1, max: 999_999_999_999 });
  const property = fc.property(fc.integer({ min: 1, max: 12 }), number, number, (digits, a, b) => {
    const series = seriesFrom(1, digits);
    expect(formatNumber(series, a) === formatNumber(series, b)).toBe(a === b);
    expect(formatNumber(series, a).length).toBe('A-'.length + Math.max(digits, String(a).length));
  });
  fc.assert(property);
});

test('a date of tomorrow before midnight (UTC), and a day later: the next number has the same date [CONTRACT §4]', () => {
  const taken = takeNumber(seriesFrom(1), '2026-06-16', '2026-06-15T23:59:59.999Z');
  expect(takeNumber(taken.series, null, '2026-06-15T23:59:59.999Z').fields.issue_date).toBe('2026-06-16');
});
