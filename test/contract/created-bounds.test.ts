import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { createPrerequisites, matrix, request } from '#test/support/requests.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
let created: readonly { id: number; created_at: string }[];
beforeAll(async () => {
  service = await startService();
  const rows = [];
  for (let i = 0; i < 6; i++) {
    const body = { status: i % 2 === 0 ? 'open' : 'draft' };
    rows.push((await service.send('/v1/invoices', { method: 'POST', body })).json);
  }
  created = rows;
});
afterAll(() => service.stop());

const at = (i: number): string => created[i]?.created_at as string;
const query = (parameters: object): string => `?${new URLSearchParams(parameters as Record<string, string>)}`;
const ids = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);
const list = async (parameters: object, version = 'v1') =>
  (await service.send(`/${version}/invoices${query(parameters)}`)).json;

/** The rows with `created_from` ≤ `created_at` < `created_before`. */
const within = (from: string, before: string): number[] =>
  ids(created.filter(({ created_at }) => created_at >= from && created_at < before));

describe('created_from and created_before', () => {
  test.each(['v1', 'v2'])(
    '%s, every pair of bounds, in both orders: the rows between them [CONTRACT §4]',
    async (version) => {
      for (const from of [0, 1, 3, 5])
        for (const before of [0, 2, 4, 5]) {
          const bounds = { created_from: at(from), created_before: at(before) };
          const expected = within(at(from), at(before));
          expect(ids((await list(bounds, version)).data)).toEqual(expected);
          expect(ids((await list({ ...bounds, sort: '-id' }, version)).data)).toEqual([...expected].reverse());
        }
    },
  );

  test('one bound alone, a time zone offset, a fraction of a millisecond: the rows within [CONTRACT §4]', async () => {
    const end = '9999-12-31T00:00:00Z';
    expect(ids((await list({ created_from: at(2) })).data)).toEqual(within(at(2), end));
    expect(ids((await list({ created_before: at(2) })).data)).toEqual(within('', at(2)));
    const inTokyo = `${new Date(Date.parse(at(2)) + 9 * 3_600_000).toISOString().slice(0, -1)}+09:00`;
    expect(ids((await list({ created_from: inTokyo })).data)).toEqual(within(at(2), end));
    const justAfter = at(2).replace('Z', '1Z');
    expect(ids((await list({ created_from: justAfter })).data)).toEqual(
      ids(created.filter((one) => one.created_at > at(2))),
    );
    expect((await list({ created_from: end, created_before: '0001-01-01T00:00:00Z' })).data).toEqual([]);
  });

  test('bounds with a filter in offset style: total_count and the links keep the bounds [CONTRACT §4, CONTRACT §5]', async () => {
    const bounds = { created_from: at(1), created_before: at(5), status: 'open' };
    const expected = within(at(1), at(5)).filter((id) => created.findIndex((one) => one.id === id) % 2 === 0);
    expect(ids((await list(bounds)).data)).toEqual(expected);
    const page = await service.send(`/v1/invoices${query({ ...bounds, page: 1, per_page: 1 })}`);
    expect([page.json.total_count, ids(page.json.data)]).toEqual([expected.length, expected.slice(0, 1)]);
    const next = /<([^>]*)>; rel="last"/.exec(page.headers['link'] ?? '')?.[1] as string;
    expect(ids((await service.send(next)).json.data)).toEqual(expected.slice(-1));
  });

  test('a walk by cursor: it stays within the bounds; its cursor with other bounds is 400 [CONTRACT §5]', async () => {
    const bounds = { created_from: at(1), created_before: at(5) };
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const page = await list({ ...bounds, limit: 1, ...(after && { after }) });
      seen.push(...ids(page.data));
      after = page.next_cursor;
    } while (after);
    expect(seen).toEqual(within(at(1), at(5)));
    const { next_cursor } = await list({ ...bounds, limit: 1 });
    const other = await service.send(`/v1/invoices${query({ created_from: at(0), after: next_cursor })}`);
    expect([other.status, other.json.code]).toEqual([400, 'invalid-cursor']);
  });

  const MALFORMED = ['2026-11-21', '', 'now', '2026-11-21T00:00:00'];
  test.each(MALFORMED)('the bound "%s": 422 naming the parameter [CONTRACT §4]', async (text) => {
    for (const parameter of ['created_from', 'created_before']) {
      const answer = await service.send(`/v1/invoices${query({ [parameter]: text })}`);
      expect([answer.status, answer.json.errors[0].parameter]).toEqual([422, parameter]);
    }
  });
});

const lists = matrix.filter(([, , , operation]) => operation.list !== undefined);

test.each(lists)('%s: rows within either bound [CONTRACT §4]', async (_, version, __, operation: Operation) => {
  expect(routeOf(operation).method).toBe('GET');
  const { target, sent } = request(operation, version, await createPrerequisites(service, operation));
  const { json } = await service.send(target, sent);
  const [{ created_at }] = json.data;
  const bounded = async (bounds: object) =>
    (await service.send(`${target}${query({ limit: 100, ...bounds })}`, sent)).json.data;
  expect((await bounded({ created_from: created_at, created_before: '9999-12-31T00:00:00Z' })).length).toBeGreaterThan(
    0,
  );
  expect(
    (await bounded({ created_before: created_at })).filter((row: typeof json) => row.created_at >= created_at),
  ).toEqual([]);
});
