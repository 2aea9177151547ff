import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { idsOf, links, type Parameters, query, walk } from '../support/pages.ts';
import { listsInTurn, type Row, sharedRows } from '../support/rows.ts';

const END = '9999-12-31T00:00:00Z';
const shift = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
const within = (rows: readonly Row[], from: string, before: string): number[] =>
  rows.filter(({ created_at }) => created_at >= from && created_at < before).map(({ id }) => id);

const selectionsOf = (filters: readonly string[], row: Row): Parameters[] => {
  const [name, ...others] = filters;
  if (name === undefined) return [{}];
  return selectionsOf(others, row).flatMap((one) => [one, { ...one, [name]: row[name] }]);
};

/** Every selection of the filters once, with the values of some rows. */
const selections = (filters: readonly string[], rows: readonly Row[]): Parameters[] => {
  const all = rows.flatMap((row) => selectionsOf(filters, row));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
};

/** At the time of a row and 1 ms later, as either bound. */
const boundsOf = (times: readonly string[]): [from: string, before: string][] => {
  const [first = '', second = '', third = ''] = times;
  return [
    [first, first],
    [first, third],
    [second, shift(third, 1)],
    [shift(second, 1), shift(third, 1)],
  ];
};

const LONGEST = `${'😀'.repeat(318)}@x`;
const EMAILS = ['a@example.com', 'a+b@example.com', '#@&', 'é😀@%2B', '123@4', LONGEST];
const DATES = ['2026-11-21', '', 'now', '2026-11-21T00:00:00', '1763683200'];
const MALFORMED = DATES.flatMap((value) => [value, value]);

/** A value whose + became a blank, and the value that was meant. */
const LOST_PLUS: readonly (readonly [parameter: string, sent: string, valid: string])[] = [
  ['email', 'pat+x@example.com', 'pat%2Bx@example.com'],
  ['email', 'pat%20x@example.com', 'pat%2Bx@example.com'],
  ['created_from', '2026-11-25T00:00:00+02:00', '2026-11-25T00:00:00%2B02:00'],
  ['created_before', '2026-11-25T00:00:00.5+00:00', '2026-11-25T00:00:00.5%2B00:00'],
];
const IMPOSSIBLE = ['ada', 'a@', '@b', 'a@b@c', '', 'a\tb@c', 'a\u00a0b@c'];

/** Forms of a time, and the time in UTC with milliseconds. */
const TIMES: readonly (readonly [form: string, utc: string])[] = [
  ['2026-11-25T00:00:00.000Z', '2026-11-25T00:00:00.000Z'],
  ['2026-11-25T00:00:00+02:00', '2026-11-24T22:00:00.000Z'],
  ['2026-11-24T13:30:00.5-08:30', '2026-11-24T22:00:00.500Z'],
  ['2026-11-25t00:00:00z', '2026-11-25T00:00:00.000Z'],
  ['2026-11-25T00:00:00.0001Z', '2026-11-25T00:00:00.001Z'],
  ['0000-01-01T00:00:00+23:59', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999-23:59', '9999-12-31T23:59:59.999Z'],
];

/** Sends a time as a bound of a list, and of an export that is not created. */
const sendBound = async (service: Service, name: string, time: string) => {
  const listed = await service.send(`/v1/invoices${query({ [name]: time, limit: 1 })}`);
  const body = { type: 'invoices', format: 'csv', filter: { [name]: time } };
  const exported = await service.send('/v2/exports?dry_run=true', { method: 'POST', body });
  return { listed, exported };
};

/** Reads a filtered list until it has this many rows: an index may lag (CONTRACT §5). */
const readFiltered = async (service: Service, target: string, count: number): Promise<number[]> =>
  idsOf(await service.until(target, (answer) => idsOf(answer).length === count));

export const filters: Group = {
  name: 'Filters',
  checks: [
    ...listsInTurn.map(([operation, version]) => {
      const path = `/${version}${operation.route.split(' ')[1]}`;
      return check('CONTRACT §4', `${path} with each selection of filters: only the matching rows`, async (service) => {
        const own = await sharedRows(service, operation);
        for (const selection of selections(operation.list?.filters ?? [], own.rows.slice(0, 3))) {
          const matching = own.rows.filter((one) =>
            Object.entries(selection).every(([name, value]) => one[name] === value),
          );
          const expected = matching.map(({ id }) => id);
          const bounded = { ...selection, ...own.bounds };
          const target = `/${version}${own.path}`;
          expect(await readFiltered(service, `${target}${query(bounded)}`, expected.length)).toEqual(expected);
          const { ids } = await walk(`${target}${query({ ...bounded, limit: 2, sort: '-id' })}`, service.send);
          expect(ids).toEqual(expected.toReversed());
          const { json } = await service.send(`/v1${own.path}${query({ ...bounded, page: 1, per_page: 1 })}`);
          expect([json.total_count, json.data[0]?.id]).toEqual([expected.length, expected[0]]);
        }
      });
    }),
    ...listsInTurn.map(([operation, version]) => {
      const path = `/${version}${operation.route.split(' ')[1]}`;
      const title = `${path}: created_from is inclusive and created_before exclusive, to the millisecond`;
      return check('CONTRACT §4', title, async (service) => {
        const own = await sharedRows(service, operation);
        const read = async (parameters: Parameters) =>
          idsOf(await service.send(`/${version}${own.path}${query({ limit: 100, ...parameters })}`));
        const times = own.rows.map(({ created_at }) => created_at);
        for (const [from, before] of boundsOf(times)) {
          const bounds = { created_from: from, created_before: before };
          const expected = within(own.rows, from, before);
          expect(await read(bounds)).toEqual(expected);
          expect(await read({ ...bounds, sort: '-id' })).toEqual(expected.toReversed());
        }
        const tokyo = `${shift(times[2], 9 * 3_600_000).slice(0, -1)}+09:00`;
        const since = within(own.rows, times[2], END);
        expect(await read({ ...own.bounds, created_from: tokyo })).toEqual(since);
        expect((await read({ created_from: tokyo })).slice(0, since.length)).toEqual(since);
        expect(await read({ created_from: END, created_before: own.from })).toEqual([]);
        const older = await read({ created_before: times[2], sort: '-id' });
        expect(older.filter((id) => own.ids.includes(id)).reverse()).toEqual(within(own.rows, '', times[2]));
      });
    }),
    ...listsInTurn.map(([operation, version]) =>
      check('CONTRACT §4', `${operation.route} with a malformed bound: 422 naming it`, async (service) => {
        const path = operation.route.split(' ')[1]?.replace(/\{\w+\}/, '1');
        for (const [i, value] of MALFORMED.entries()) {
          const name = i % 2 === 0 ? 'created_from' : 'created_before';
          const { status, json } = await service.send(`/${version}${path}${query({ [name]: value })}`);
          expect([value, status, json.errors[0].parameter]).toEqual([value, 422, name]);
        }
      }),
    ),
    ...['created_from', 'created_before'].flatMap((name) => [
      ...TIMES.map(([form, utc]) =>
        check(
          'CONTRACT §4',
          `${name} ${form}: a bound of a list and of an export, which shows ${utc}`,
          async (service) => {
            const { listed, exported } = await sendBound(service, name, form);
            expect([listed.status, exported.status, exported.json.filter]).toEqual([200, 202, { [name]: utc }]);
          },
        ),
      ),
      ...DATES.map((value) =>
        check('CONTRACT §4', `${name} "${value}": 422 in a list and in an export`, async (service) => {
          const { listed, exported } = await sendBound(service, name, value);
          const { detail, code } = listed.json.errors[0];
          expect([listed.status, code]).toEqual([422, 'invalid-timestamp']);
          expect([exported.status, exported.json.errors]).toEqual([
            422,
            [{ pointer: `/filter/${name}`, code, detail }],
          ]);
        }),
      ),
    ]),
    check('CONTRACT §4', 'the status of a row changes: the row moves to the other filter', async (service) => {
      const { headers, json } = await service.create('/v1/invoices', { status: 'draft' });
      const isListed = (status: string, expected: boolean) =>
        service.until(
          `/v1/invoices${query({ status, created_from: json.created_at })}`,
          (answer) => idsOf(answer).includes(json.id) === expected,
        );
      await isListed('draft', true);
      await service.send(headers['location'] as string, { method: 'PATCH', body: { status: 'open' } });
      await isListed('draft', false);
      await isListed('open', true);
      await service.send(headers['location'] as string, { method: 'DELETE' });
      await isListed('open', false);
    }),
    check(
      'CONTRACT §4',
      'an email of 321 characters: 422 naming it, also as a filter of an export',
      async (service) => {
        const email = `${'é'.repeat(319)}@x`;
        const listed = await service.send(`/v1/customers${query({ email })}`);
        expect([listed.status, listed.json.errors]).toMatchObject([422, [{ parameter: 'email', code: 'too-long' }]]);
        const body = { type: 'customers', format: 'csv', filter: { email } };
        const exported = await service.send('/v1/exports', { method: 'POST', body });
        expect([exported.status, exported.json.errors]).toMatchObject([
          422,
          [{ pointer: '/filter/email', code: 'too-long' }],
        ]);
      },
    ),
    ...LOST_PLUS.map(([parameter, sent, valid]) =>
      check('CONTRACT §4', `?${parameter}=${sent}: 422 whose detail names %2B`, async (service) => {
        const refused = await service.send(`/v1/customers?${parameter}=${sent}`);
        const { status, json } = refused;
        expect([status, json.errors]).toMatchObject([422, [{ parameter, detail: expect.stringContaining('%2B') }]]);
        expect(json.detail).toContain('%2B');
        expect((await service.send(`/v1/customers?${parameter}=${valid}`)).status).toBe(200);
      }),
    ),
    ...IMPOSSIBLE.map((email) =>
      check('CONTRACT §4', `the email "${email}" as a filter: 422 that does not speak of +`, async (service) => {
        const { status, json } = await service.send(`/v1/customers${query({ email })}`);
        expect([status, json.errors]).toMatchObject([422, [{ parameter: 'email', code: 'invalid-email' }]]);
        expect(json.errors[0].detail).not.toContain('%2B');
      }),
    ),
    check('CONTRACT §5', 'the longest email: the Link has at most 4 KB and leads to the next page', async (service) => {
      const email = LONGEST;
      for (let i = 0; i < 3; i++) await service.create('/v1/customers', { name: 'x', email });
      const numbered = `/v1/customers${query({ email, page: 2, per_page: 1 })}`;
      for (const target of [numbered, `/v2/customers${query({ email, limit: 1 })}`]) {
        const first = await service.until(target, ({ headers }) => links({ headers })['next'] !== undefined);
        expect(first.headers['link']?.length).toBeLessThanOrEqual(4096);
        const next = await service.send(links(first)['next'] as string);
        expect([next.status, next.json.data[0].email]).toEqual([200, email]);
        expect(idsOf(next)[0]).toBeGreaterThan(idsOf(first)[0] as number);
      }
    }),
    ...EMAILS.map((email) =>
      check('CONTRACT §4', `the email ${email.slice(0, 20)}: the customer with this email`, async (service) => {
        const { json } = await service.create('/v1/customers', { name: 'x', email });
        const target = `/v1/customers${query({ email, created_from: json.created_at })}`;
        expect(await readFiltered(service, target, 1)).toEqual([json.id]);
        expect((await service.send(target)).json.data[0].email).toBe(email);
      }),
    ),
  ],
};
