import { describe, expect } from '@jest/globals';
import { serves } from '#shared/platform/declarations/resource.ts';
import type { ListDeclaration } from '#shared/platform/http/endpoint.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Answer } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, links, type Parameters, query, walk } from '../support/pages.ts';
import { needsOf } from '../support/prerequisites.ts';
import { createInvoice, outcome, patch, post, remove } from '../support/requests.ts';
import { lists, listsInTurn, type Row, sharedRows } from '../support/rows.ts';

const service = await openService();

const END = '9999-12-31T00:00:00Z';

const shift = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

const within = (rows: readonly Row[], from: string, before: string): number[] =>
  rows.filter(({ created_at }) => created_at >= from && created_at < before).map(({ id }) => id);

const selectionsOf = (filters: readonly string[], row: Row): Parameters[] => {
  const [name, ...others] = filters;
  if (name === undefined) return [{}];
  return selectionsOf(others, row).flatMap((one) => [one, { ...one, [name]: row[name] }]);
};

/** Every selection of the filters that has an index once, with the values of some rows; null is no value of a filter. */
const selections = ({ filters, indexes }: ListDeclaration, rows: readonly Row[]): Parameters[] => {
  const all = rows
    .flatMap((row) => selectionsOf(filters, row))
    .filter((one) => !Object.values<unknown>(one).includes(null))
    .filter((one) => Object.keys(one).length === 0 || serves({ indexes }, Object.keys(one)));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
};

/** The time of a row and the time 1 ms later, as either bound. */
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

const MALFORMED = ['2026-11-21', '', 'now', '2026-11-21T00:00:00', '1763683200'];

const NO_TIMES = [
  ...[...MALFORMED, '2026-11-21T09:30Z', '2026-11-21 09:30:00Z', '2026-11-21 09:30:00 02:00', '2026-02-30T09:30:00Z'],
  ...['2026-13-01T09:30:00Z', '2026-11-21T24:00:00Z', '2026-11-21T09:30:60Z', '2026-11-21T09:30:00+0200'],
  ...['2026-11-21T09:30:00+24:00', 'Wed, 25 Nov 2026 00:00:00 GMT'],
];

/** A value whose + became a blank, and the value that was meant. */
const LOST_PLUS: readonly (readonly [parameter: string, sent: string, valid: string])[] = [
  ['email', 'pat+x@example.com', 'pat%2Bx@example.com'],
  ['email', 'pat%20x@example.com', 'pat%2Bx@example.com'],
  ['email', 'pat+x', 'pat%2Bx@example.com'],
  ['created_from', '2026-11-25T00:00:00+02:00', '2026-11-25T00:00:00%2B02:00'],
  ['created_before', '2026-11-25T00:00:00.5+00:00', '2026-11-25T00:00:00.5%2B00:00'],
];

const IMPOSSIBLE = ['ada', 'a@', '@b', 'a@b@c', '', 'a\tb@c', 'a\u00a0b@c'];

/** A list and an export of customers with an email as filter. */
const sendEmail = async (service: Service, email: string) => ({
  listed: await service.send(`/v1/customers${query({ email })}`),
  exported: await post(service, '/v1/exports?dry_run=true', { type: 'customers', format: 'csv', filter: { email } }),
});

/** Forms of a time, and the time in UTC with milliseconds. */
const TIMES: readonly (readonly [form: string, utc: string])[] = [
  ['2026-11-25T00:00:00.000Z', '2026-11-25T00:00:00.000Z'],
  ['2026-11-25T00:00:00+02:00', '2026-11-24T22:00:00.000Z'],
  ['2026-11-24T13:30:00.5-08:30', '2026-11-24T22:00:00.500Z'],
  ['2026-11-25t00:00:00z', '2026-11-25T00:00:00.000Z'],
  ['2026-11-25T00:00:00.0001Z', '2026-11-25T00:00:00.001Z'],
  ['2026-11-25T00:00:00.0350Z', '2026-11-25T00:00:00.035Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
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

describe('Filters', () => {
  for (const [operation, version] of partOf(listsInTurn, 5)) {
    const path = `/${version}${operation.route.split(' ')[1]}`;
    testWith(...needsOf(operation))(
      `${path} with each selection of filters: only the matching rows [CONTRACT §4]`,
      async () => {
        const own = await sharedRows(service, operation);
        for (const selection of selections(operation.list as ListDeclaration, own.rows.slice(0, 3))) {
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
      },
    );
  }

  for (const [operation, version] of partOf(listsInTurn, 5)) {
    const path = `/${version}${operation.route.split(' ')[1]}`;
    const title = `${path}: created_from is inclusive and created_before exclusive, to the millisecond`;
    testWith(...needsOf(operation))(`${title} [CONTRACT §4]`, async () => {
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
  }

  for (const [operation, version] of partOf(listsInTurn, 5)) {
    test(`${operation.route} with a malformed bound: 422 naming it [CONTRACT §4]`, async () => {
      const path = operation.route.split(' ')[1]?.replace(/\{\w+\}/, '1');
      for (const value of MALFORMED)
        for (const name of ['created_from', 'created_before']) {
          const { status, json } = await service.send(`/${version}${path}${query({ [name]: value })}`);
          expect([value, status, json.errors[0].parameter]).toEqual([value, 422, name]);
        }
    });
  }

  for (const name of ['created_from', 'created_before']) {
    test(`${name} in any form of RFC 3339: a bound of a list and of an export, which shows UTC [CONTRACT §3, §4]`, async () => {
      for (const [form, utc] of TIMES) {
        const { listed, exported } = await sendBound(service, name, form);
        expect([listed.status, exported.status, exported.json.filter]).toEqual([200, 202, { [name]: utc }]);
      }
    });

    test(`${name} that is no RFC 3339 time with seconds and offset: 422 in a list and in an export [CONTRACT §4]`, async () => {
      for (const value of NO_TIMES) {
        const { listed, exported } = await sendBound(service, name, value);
        const { detail, code } = listed.json.errors[0];
        expect([value, listed.status, code]).toEqual([value, 422, 'invalid-timestamp']);
        expect(detail).not.toContain('%2B');
        expect([exported.status, exported.json.errors]).toEqual([422, [{ pointer: `/filter/${name}`, code, detail }]]);
      }
    });
  }

  test('the status of a row changes: the row moves to the other filter [CONTRACT §4]', async () => {
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
  });

  for (const [parameter, sent, valid] of LOST_PLUS) {
    test(`?${parameter}=${sent}: 422 whose detail names %2B [CONTRACT §4]`, async () => {
      const refused = await service.send(`/v1/customers?${parameter}=${sent}`);
      const { status, json } = refused;
      expect([status, json.errors]).toMatchObject([422, [{ parameter, detail: expect.stringContaining('%2B') }]]);
      expect(json.detail).toContain('%2B');
      expect((await service.send(`/v1/customers?${parameter}=${valid}`)).status).toBe(200);
    });
  }

  test('an impossible or too long email: 422 in a list and in an export, and the detail does not speak of + [CONTRACT §4]', async () => {
    for (const [code, email] of [
      ...IMPOSSIBLE.map((one) => ['invalid-email', one] as const),
      ['too-long', `${'é'.repeat(319)}@x`] as const,
    ]) {
      const { listed, exported } = await sendEmail(service, email);
      expect([email, listed.status, exported.status]).toEqual([email, 422, 422]);
      expect(listed.json.errors).toMatchObject([{ parameter: 'email', code }]);
      expect(exported.json.errors).toMatchObject([{ pointer: '/filter/email', code }]);
      expect(listed.json.errors[0].detail).not.toContain('%2B');
    }
    const { exported } = await sendEmail(service, LONGEST);
    expect([exported.status, exported.json.filter]).toEqual([202, { email: LONGEST }]);
  });

  test('the longest email: the Link has at most 4 KB and leads to the next page [CONTRACT §5]', async () => {
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
  });

  for (const email of EMAILS) {
    test(`the email ${email.slice(0, 20)}: the customer with this email [CONTRACT §4]`, async () => {
      const { json } = await service.create('/v1/customers', { name: 'x', email });
      const target = `/v1/customers${query({ email, created_from: json.created_at })}`;
      expect(await readFiltered(service, target, 1)).toEqual([json.id]);
      expect((await service.send(target)).json.data[0].email).toBe(email);
    });
  }
});

const SORTED = lists.filter(({ list }) => list?.sorts?.length).map(({ route }) => route);

/** The days of a month that no other test uses. */
const days = (month: string) => ({
  day: (day: number) => `2031-${month}-${String(day).padStart(2, '0')}`,
  bounds: { due_from: `2031-${month}-01`, due_before: `2031-${month}-28` },
});

const read = (service: Service, parameters: Parameters, version = 'v1'): Promise<Answer> =>
  service.send(`/${version}/invoices${query(parameters)}`);

/** An index may lag (CONTRACT §5). */
const expectListed = async (service: Service, parameters: Parameters, ids: readonly number[]): Promise<void> => {
  const isExpected = (answer: Answer) => JSON.stringify(idsOf(answer)) === JSON.stringify(ids);
  await service.until(`/v1/invoices${query(parameters)}`, isExpected);
};

/**
 * Invoices with due dates in the first month, in the order of the list; one invoice has no date, and one has another
 * status.
 */
const invoicesOfJanuary = (
  service: Service,
): Promise<{ readonly dates: readonly string[]; readonly ids: readonly number[] }> =>
  service.once('invoices of January', async () => {
    const { day, bounds } = days('01');
    const dates = [day(9), day(2), day(9), day(10), day(2), day(27)];
    const rows: { readonly date: string; readonly id: number }[] = [];
    for (const date of dates) rows.push({ date, id: await createInvoice(service, { due_date: date }) });
    await createInvoice(service, {});
    await createInvoice(service, { due_date: day(2), status: 'draft' });
    rows.sort((a, b) => a.date.localeCompare(b.date) || a.id - b.id);
    const sorted = { dates: rows.map(({ date }) => date), ids: rows.map(({ id }) => id) };
    await expectListed(service, { status: 'open', sort: 'due_date', ...bounds }, sorted.ids);
    return sorted;
  });

const INVALID: readonly [query: string, parameters: readonly string[]][] = [
  ['sort=due_date', ['status']],
  ['status=open&sort=due', ['sort']],
  ['status=open&sort=due_date&customer_id=1', ['customer_id']],
  ['status=open&sort=-due_date&created_from=2026-01-01T00:00:00Z', ['created_from']],
  ['status=open&sort=due_date&created_before=2026-01-01T00:00:00Z', ['created_before']],
  ['status=open&sort=due_date&page=1', ['page']],
  ['status=open&sort=due_date&per_page=1', ['per_page']],
  ['status=open&due_from=2026-01-01', ['due_from']],
  ['status=open&sort=-id&due_from=2026-01-01&due_before=2026-01-02', ['due_before', 'due_from']],
  ['status=open&sort=due_date&due_from=2026-02-30&due_before=2026-01-01T00:00:00Z', ['due_before', 'due_from']],
  ['status=open&sort=due_date&due_from=&due_before=null', ['due_before', 'due_from']],
  ['status=open&sort=due&due_before=2026-01-01', ['due_before', 'sort']],
  ['status=void&sort=due_date', ['status']],
];

describe('Lists by due date', () => {
  test('every other list: sort=due_date is 422 [CONTRACT §4]', async () => {
    expect(SORTED).toEqual(['GET /invoices']);
    const answer = await service.send('/v1/payments?sort=due_date');
    expect([answer.status, answer.json.errors[0].parameter]).toEqual([422, 'sort']);
  });

  for (const version of VERSIONS) {
    test(`/${version}/invoices by due date: by date, then by id, without invoices that have no date [CONTRACT §4]`, async () => {
      const { ids, dates } = await invoicesOfJanuary(service);
      const { day, bounds } = days('01');
      const within = (from: string, before: string) =>
        ids.filter((_, i) => dates.slice(i, i + 1).every((date) => from <= date && date < before));
      for (const sort of ['due_date', '-due_date']) {
        const inOrder = (list: readonly number[]) => (sort === 'due_date' ? list : list.toReversed());
        const of = (more: Parameters) => ({ status: 'open', sort, ...bounds, ...more });
        for (const limit of [1, 2, 6]) {
          const first = `/${version}/invoices${query(of({ limit }))}`;
          const { ids: read, answers } = await walk(first, service.send);
          expect([read, answers.length]).toEqual([inOrder(ids), Math.ceil(6 / limit)]);
          expect(answers.at(-1)?.json).toMatchObject({ has_more: false, next_cursor: null });
        }
        for (const [due_from, due_before] of [
          [day(2), day(9)],
          [day(3), day(10)],
          [day(9), day(9)],
          [day(10), day(9)],
        ] as const)
          expect(idsOf(await read(service, of({ due_from, due_before }), version))).toEqual(
            inOrder(within(due_from, due_before)),
          );
      }
    });
  }

  test('a list by due date with fields and expand: only these, also on the next page [CONTRACT §6]', async () => {
    const { ids } = await invoicesOfJanuary(service);
    const { bounds } = days('01');
    const selected = { status: 'open', sort: 'due_date', ...bounds, fields: 'id', expand: 'customer', limit: 4 };
    const { answers } = await walk(`/v1/invoices${query(selected)}`, service.send);
    const rows = answers.flatMap(({ json }) => json.data);
    expect(rows).toStrictEqual(ids.map((id) => ({ id, customer: null })));
  });

  test('sort=due_date or its bounds with or without other parameters: 422 naming those that are wrong [CONTRACT §4]', async () => {
    for (const [parameters, expected] of INVALID) {
      const answer = await service.send(`/v1/invoices?${parameters}`);
      const named = answer.json.errors.map(({ parameter }: { parameter: string }) => parameter).sort();
      expect([parameters, ...outcome(answer), named]).toEqual([parameters, 422, 'validation-failed', expected]);
    }
  });

  test('/v2/invoices by due date with page: 422 [CONTRACT §4]', async () => {
    const { status, json } = await read(service, { status: 'open', sort: 'due_date', page: 1 }, 'v2');
    expect([status, json.errors[0].parameter]).toEqual([422, 'page']);
  });

  test('a cursor with another status, order or bound, or without one: 400 [CONTRACT §5]', async () => {
    await invoicesOfJanuary(service);
    const { day, bounds } = days('01');
    const sent = { status: 'open', sort: 'due_date', ...bounds };
    const after = (await read(service, { ...sent, limit: 2 })).json.next_cursor;
    const { due_before: _, ...unbounded } = sent;
    const others: Parameters[] = [
      { ...sent, status: 'paid' },
      { ...sent, sort: '-due_date' },
      { ...sent, due_from: day(2) },
      unbounded,
      { status: 'open' },
      { status: 'open', sort: 'id' },
    ];
    for (const other of others) {
      const { status, json } = await read(service, { ...other, after });
      expect([other, status, json.code]).toEqual([other, 400, 'invalid-cursor']);
    }
    const unsorted = (await read(service, { status: 'open', limit: 1 })).json.next_cursor;
    expect((await read(service, { ...sent, after: unsorted })).json.code).toBe('invalid-cursor');
    expect((await read(service, { ...sent, after, limit: 1, fields: 'id' })).status).toBe(200);
  });

  test('the invoice that the cursor names is deleted, or due later: the next page follows its former date [CONTRACT §5]', async () => {
    const { day, bounds } = days('03');
    const ids: number[] = [];
    for (const i of [1, 2, 3, 4, 5]) ids.push(await createInvoice(service, { due_date: day(i) }));
    const sent = { status: 'open', sort: 'due_date', ...bounds };
    await expectListed(service, sent, ids);
    const first = await read(service, { ...sent, limit: 2 });
    await remove(service, `/v1/invoices/${ids[1]}`);
    await expectListed(service, { ...sent, after: first.json.next_cursor }, ids.slice(2));
    const second = await read(service, { ...sent, limit: 1, after: first.json.next_cursor });
    await patch(service, `/v1/invoices/${ids[2]}`, { due_date: day(20) });
    await expectListed(service, { ...sent, after: second.json.next_cursor }, [...ids.slice(3), ids[2] as number]);
  });

  testWith('otherAccount')('the invoices of another account: absent from the list [CONTRACT §2]', async () => {
    await invoicesOfJanuary(service);
    const { json } = await service.send(`/v1/invoices?status=open&sort=due_date`, { as: { account: 'other' } });
    expect(json.data).toEqual([]);
  });
});
