import { describe, expect } from '@jest/globals';
import { partOf } from '#test/support/extent/extent.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, links } from '../support/pages.ts';
import { created, createInvoice, idOf, remove } from '../support/requests.ts';
import { lists, listsInTurn, type Row, sharedRows } from '../support/rows.ts';

const service = await openService();

const READ_BY_IDS = ['/customers', '/invoices', '/payments', '/refunds', '/credit-notes'];
const HUNDRED = Array.from({ length: 100 }, (_, i) => i + 1);

/** Queries of invoices, and the parameters that a 422 names. */
const INVALID: readonly [query: string, parameters: readonly string[]][] = [
  ['ids=', ['ids']],
  ['ids=1,', ['ids']],
  ['ids=1,x', ['ids']],
  ['ids=0', ['ids']],
  ['ids=9007199254740992', ['ids']],
  [`ids=${HUNDRED},101`, ['ids']],
  ['ids=1&status=open', ['status']],
  ['ids=1&sort=id', ['sort']],
  ['ids=1&limit=1', ['limit']],
  ['ids=1&page=1&per_page=1', ['page', 'per_page']],
  ['ids=1&created_from=2026-01-01T00:00:00Z', ['created_from']],
  ['ids=1&due_from=2026-01-01', ['due_from']],
];

describe('Ids', () => {
  for (const [operation, version] of listsInTurn.filter(([{ path }]) => READ_BY_IDS.includes(path)))
    test(`/${version}${operation.path}?ids: the existing members in ascending order, with strong consistency [CONTRACT §4]`, async () => {
      const own = await sharedRows(service, operation);
      const wanted = [own.ids[3], own.ids[0], own.ids[0], own.ids[4], 1];
      const answer = await service.send(`/${version}${operation.path}?ids=${wanted}`);
      expect(answer.json).toMatchObject({ has_more: false, next_cursor: null });
      expect([idsOf(answer), links(answer)]).toEqual([[own.ids[0], own.ids[3], own.ids[4]], {}]);
      const selected = await service.send(`/${version}${operation.path}?ids=${own.ids[1]}&fields=id,created_at`);
      expect(selected.json.data).toEqual([{ id: own.ids[1], created_at: own.rows[1].created_at }]);
    });

  test('every other list: ids is an unknown parameter [CONTRACT §4]', async () => {
    const others = lists.filter(({ path }) => !READ_BY_IDS.includes(path));
    for (const { path } of others) {
      const { status, json } = await service.send(`/v1${path.replace(/\{\w+\}/, '1')}?ids=1`);
      expect([path, status, json.errors[0]]).toMatchObject([
        path,
        422,
        { parameter: 'ids', code: 'unknown-parameter' },
      ]);
    }
    expect(others.length).toBeGreaterThan(3);
  });

  testWith('otherAccount')('ids of another account: no members [CONTRACT §2, §4]', async () => {
    const id = await createInvoice(service);
    const answer = await service.send(`/v1/invoices?ids=${id}`, { as: { account: 'other' } });
    expect([answer.status, answer.json.data]).toEqual([200, []]);
  });

  test('a member: present as soon as it is created, absent as soon as it is deleted; expand embeds [CONTRACT §4]', async () => {
    const customer = await created(service, 'customers', { name: 'Ada' });
    const id = await createInvoice(service, { customer_id: idOf(customer) });
    const target = `/v2/invoices?ids=${id}&expand=customer`;
    expect((await service.send(target)).json.data).toMatchObject([
      { id, customer: { id: idOf(customer), name: 'Ada' } },
    ]);
    await remove(service, `/v1/invoices/${id}`);
    expect((await service.send(target)).json.data).toEqual([]);
  });

  test('100 ids, of which some are the same: 200 [CONTRACT §4]', async () => {
    const answer = await service.send(`/v1/invoices?ids=${HUNDRED},7`);
    expect([answer.status, answer.json.data]).toEqual([200, []]);
  });

  for (const [parameters, named] of partOf(INVALID, 2))
    test(`/invoices?${parameters}: 422 naming ${named.join(' and ')} [CONTRACT §4]`, async () => {
      const { status, json } = await service.send(`/v1/invoices?${parameters}`);
      expect([status, json.errors?.map(({ parameter }: Row) => parameter)]).toEqual([422, named]);
    });
});
