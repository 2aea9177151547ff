import { expect } from 'expect';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Service } from '#test/acceptance/suite/service.ts';
import { idsOf, type Parameters, query, walk } from '../support/pages.ts';
import { createCustomer, createInvoice, patch, pay, post, remove } from '../support/requests.ts';
import { lists } from '../support/rows.ts';

const SORTED = lists.filter(({ list }) => list?.sorts?.length).map(({ route }) => route);

/** The days of a month that no other check uses. */
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

/** Invoices with due dates in the first month, in the order of the list; one has no date, and one another status. */
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
  ['status=open&sort=due_date&due_from=', ['due_from']],
];

export const dueDates: Group = {
  name: 'Lists by due date',
  checks: [
    check('CONTRACT §4', 'every other list: sort=due_date is 422', async (service) => {
      expect(SORTED).toEqual(['GET /invoices']);
      const answer = await service.send('/v1/payments?sort=due_date');
      expect([answer.status, answer.json.errors[0].parameter]).toEqual([422, 'sort']);
    }),
    ...VERSIONS.map((version) =>
      check(
        'CONTRACT §4',
        `/${version}/invoices by due date: by date, then by id, without those that have none`,
        async (service) => {
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
        },
      ),
    ),
    check(
      'CONTRACT §6',
      'a list by due date with fields and expand: only these, also on the next page',
      async (service) => {
        const { ids } = await invoicesOfJanuary(service);
        const { bounds } = days('01');
        const selected = { status: 'open', sort: 'due_date', ...bounds, fields: 'id', expand: 'customer', limit: 4 };
        const { answers } = await walk(`/v1/invoices${query(selected)}`, service.send);
        const rows = answers.flatMap(({ json }) => json.data);
        expect(rows).toStrictEqual(ids.map((id) => ({ id, customer: null })));
      },
    ),
    ...INVALID.map(([parameters, expected]) =>
      check('CONTRACT §4', `/invoices?${parameters}: 422 naming ${expected.join(' and ')}`, async (service) => {
        const { status, json } = await service.send(`/v1/invoices?${parameters}`);
        const named = json.errors.map(({ parameter }: { parameter: string }) => parameter).sort();
        expect([status, json.code, named]).toEqual([422, 'validation-failed', expected]);
      }),
    ),
    check('CONTRACT §4', '/v2/invoices by due date with page: 422', async (service) => {
      const { status, json } = await read(service, { status: 'open', sort: 'due_date', page: 1 }, 'v2');
      expect([status, json.errors[0].parameter]).toEqual([422, 'page']);
    }),
    check(
      'CONTRACT §5',
      'a cursor with another status, order or bound, or with one of them less: 400',
      async (service) => {
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
      },
    ),
    check(
      'CONTRACT §4',
      'status, due date and payments change: the invoice is listed at its new place',
      async (service) => {
        const { day, bounds } = days('02');
        const [first, second] = [
          await createInvoice(service, { total_cents: 100, due_date: day(1) }),
          await createInvoice(service, {
            total_cents: 100,
            due_date: day(2),
            customer_id: await createCustomer(service),
          }),
        ];
        const listed = (status: string, ids: number[]) =>
          expectListed(service, { status, sort: 'due_date', ...bounds }, ids);
        await listed('open', [first, second]);
        await patch(service, `/v1/invoices/${first}`, { due_date: day(3) });
        await listed('open', [second, first]);
        await patch(service, `/v2/invoices/${first}`, { description: 'x', customer_id: null });
        await pay(service, first, 40);
        await listed('open', [second, first]);
        await pay(service, first, 60);
        await listed('open', [second]);
        await listed('paid', [first]);
        await patch(service, `/v1/invoices/${second}`, { due_date: null });
        await listed('open', []);
        await patch(service, `/v1/invoices/${second}`, { due_date: day(4) });
        await listed('open', [second]);
        await post(service, `/v1/invoices/${second}/cancel`);
        await listed('open', []);
        await listed('canceled', [second]);
        await remove(service, `/v1/invoices/${second}`);
        await listed('canceled', []);
      },
    ),
    check(
      'CONTRACT §5',
      'the invoice that the cursor names is deleted, or due later: the next page follows its former date',
      async (service) => {
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
      },
    ),
    check('CONTRACT §2', 'the invoices of another account: absent from the list', async (service) => {
      await invoicesOfJanuary(service);
      const { json } = await service.send(`/v1/invoices?status=open&sort=due_date`, { as: { account: 'other' } });
      expect(json.data).toEqual([]);
    }),
  ],
};
