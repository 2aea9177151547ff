import { describe, expect } from '@jest/globals';
import { isText } from '#shared/platform/wire/several-values.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { complete } from '../exports/completed-export.ts';
import { idsOf, links, query, walk } from '../support/pages.ts';
import { needsOf } from '../support/prerequisites.ts';
import { createCustomer, createInvoice, invoiceIn, pointersOf, post } from '../support/requests.ts';
import { listsInTurn, type Row, sharedRows } from '../support/rows.ts';

const service = await openService();

const TEN = Array.from({ length: 10 }, (_, i) => i + 1);

/** Queries of invoices, and the parameters that a 422 names. */
const INVALID: readonly [query: string, parameters: readonly string[]][] = [
  ['status=open,', ['status']],
  ['status=', ['status']],
  ['status=open,late,paid', ['status']],
  ['status=open, paid', ['status']],
  ['customer_id=1,x', ['customer_id']],
  ['customer_id=1,0', ['customer_id']],
  [`customer_id=${TEN},11`, ['customer_id']],
  [`status=open,draft,paid&customer_id=${TEN}`, ['customer_id']],
  ['status=open,paid&page=1', ['page']],
  ['customer_id=1,2&per_page=5', ['per_page']],
];

const VALID = [
  `customer_id=${TEN}`,
  `customer_id=${TEN},10,1`,
  `status=open,draft&customer_id=${TEN}`,
  'status=open,open&page=1',
];

describe('Several values of a filter', () => {
  for (const [operation, version] of partOf(listsInTurn, 3)) {
    const path = `/${version}${operation.path}`;
    testWith(...needsOf(operation))(
      `${path} with two values of each filter: the rows of both, in the order of the list [CONTRACT §4]`,
      async () => {
        const own = await sharedRows(service, operation);
        for (const name of operation.list?.filters ?? []) {
          if (isText(operation.resource?.fields.v1[name]?.schema as never)) continue;
          const values = [...new Set(own.rows.map((row) => row[name]))].slice(0, 2);
          const ids = own.rows.filter((row) => values.includes(row[name])).map(({ id }) => id);
          const target = `/${version}${own.path}`;
          const parameters = { ...own.bounds, [name]: values.toReversed().join(), limit: 2 };
          await service.until(
            `${target}${query({ ...parameters, limit: 100 })}`,
            (all) => idsOf(all).length === ids.length,
          );
          expect([name, (await walk(target + query(parameters), service.send)).ids]).toEqual([name, ids]);
          const reversed = await walk(target + query({ ...parameters, sort: '-id' }), service.send);
          expect([name, reversed.ids]).toEqual([name, ids.toReversed()]);
        }
      },
    );
  }

  test('a list by due date: merged by date, then by id [CONTRACT §4]', async () => {
    const invoices: Row[] = [];
    for (const [status, day] of [
      ['open', 9],
      ['draft', 9],
      ['draft', 2],
      ['open', 4],
    ] as const) {
      const due_date = `2032-01-0${day}`;
      invoices.push({ due_date, id: await createInvoice(service, { status, due_date }) });
    }
    const ids = invoices.toSorted((a, b) => a.due_date.localeCompare(b.due_date) || a.id - b.id).map(({ id }) => id);
    const bounds = { due_from: '2032-01-01', due_before: '2032-02-01', status: 'open,draft' };
    await service.until(`/v1/invoices${query({ ...bounds, sort: 'due_date' })}`, (all) => idsOf(all).length === 4);
    for (const [sort, expected] of [
      ['due_date', ids],
      ['-due_date', ids.toReversed()],
    ] as const)
      expect((await walk(`/v2/invoices${query({ ...bounds, sort, limit: 1 })}`, service.send)).ids).toEqual(expected);
  });

  test('a cursor: of the set of values, in any order and with repetitions [CONTRACT §4, §5]', async () => {
    for (let i = 0; i < 2; i++) await invoiceIn(service, 'draft');
    const first = await service.until('/v1/invoices?status=open,draft&limit=1', ({ json }) => json.has_more);
    const { next_cursor: after } = first.json;
    const next = await service.send(links(first)['next'] as string);
    for (const [status, expected] of [
      ['draft,open,draft', 200],
      ['draft', 400],
      ['draft,open,paid', 400],
    ] as const) {
      const answer = await service.send(`/v1/invoices${query({ status, limit: 1, after })}`);
      expect([status, answer.status]).toEqual([status, expected]);
      if (expected === 200) expect(answer.json.data).toEqual(next.json.data);
    }
  });

  for (const [parameters, named] of partOf(INVALID, 2)) {
    test(`/invoices?${parameters}: 422 naming ${named.join()} [CONTRACT §4]`, async () => {
      const { status, json } = await service.send(`/v1/invoices?${parameters.replace(' ', '+')}`);
      expect([status, json.errors?.map(({ parameter }: Row) => parameter)]).toEqual([422, named]);
    });
  }

  for (const parameters of partOf(VALID, 2)) {
    test(`/invoices?${parameters}: 200 [CONTRACT §4]`, async () => {
      expect((await service.send(`/v1/invoices?${parameters}`)).status).toBe(200);
    });
  }

  test('a filter by a text: one value, with its commas [CONTRACT §4]', async () => {
    const { json } = await service.create('/v1/customers', { name: 'x', email: 'a,b@example.com' });
    const target = `/v1/customers${query({ email: json.email, created_from: json.created_at })}`;
    expect(idsOf(await service.until(target, (all) => idsOf(all).length > 0))).toEqual([json.id]);
  });

  for (const [filter, pointers] of [
    [{ status: 'open,late' }, ['/filter/status']],
    [{ customer_id: '1,x' }, ['/filter/customer_id']],
    [{ customer_id: `${TEN},11` }, ['/filter/customer_id']],
    [{ status: 'open,draft,paid', customer_id: String(TEN) }, ['/filter/customer_id']],
  ] as const)
    test(`an export with the filter ${JSON.stringify(filter)}: 422 naming it [CONTRACT §4]`, async () => {
      const answer = await post(service, '/v1/exports', { type: 'invoices', format: 'csv', filter });
      expect([answer.status, pointersOf(answer)]).toEqual([422, pointers]);
    });

  testWith('fullExtent')(
    'an export: its file has the rows of all values, and the job shows them [CONTRACT §4, §9]',
    async () => {
      const customers = [await createCustomer(service), await createCustomer(service), await createCustomer(service)];
      const { json: first } = await service.create('/v1/invoices', { customer_id: customers[0], status: 'draft' });
      const { created_at: created_from } = first;
      for (const customer_id of customers.slice(1)) await service.create('/v1/invoices', { customer_id });
      const filter = { status: 'open,draft', customer_id: `${customers[2]},${customers[0]}`, created_from };
      const job = await complete(service, { type: 'invoices', format: 'jsonl', filter });
      expect([job.filter, job.row_count]).toEqual([filter, 2]);
    },
  );
});
