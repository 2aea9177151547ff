import { describe, expect } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, type Parameters, parsedLinks, query, walk } from '../support/pages.ts';
import { needsOf } from '../support/prerequisites.ts';
import { created, createInvoice, pay, totalOf } from '../support/requests.ts';
import { createRows, lists, listsInTurn, sharedRows } from '../support/rows.ts';

const service = await openService();

const COUNT = 5;

const pathOf = ({ route }: Operation) => route.split(' ')[1] as string;

const everyList = (create: (operation: Operation, path: string) => void): void => {
  for (const operation of partOf(lists, 5)) create(operation, pathOf(operation));
};

const everyListInTurn = (create: (operation: Operation, version: Version, path: string) => void): void => {
  for (const [one, version] of partOf(listsInTurn, 5)) create(one, version, `/${version}${pathOf(one)}`);
};

const everyVersion = (create: (operation: Operation, version: Version, path: string) => void): void => {
  for (const version of VERSIONS) for (const one of partOf(lists, 5)) create(one, version, `/${version}${pathOf(one)}`);
};

const refused = ({ status, json }: Answer) => [status, json.code, json.errors?.map((one: never) => one['parameter'])];

const strings = (parameters: Parameters) =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

describe('Pages by cursor', () => {
  everyListInTurn((operation, version, path) =>
    testWith(...needsOf(operation))(
      `${path} by cursor in both orders: every row once, in order [CONTRACT §5]`,
      async () => {
        const own = await sharedRows(service, operation);
        for (const sort of ['id', '-id']) {
          const expected = sort === 'id' ? own.ids : own.ids.toReversed();
          for (const limit of [2, COUNT]) {
            const parameters = { ...own.bounds, sort, limit };
            const { ids, answers } = await walk(`/${version}${own.path}${query(parameters)}`, service.send);
            expect(ids).toEqual(expected);
            expect(answers).toHaveLength(Math.ceil(COUNT / limit));
            for (const answer of answers.slice(0, -1)) {
              expect(Object.keys(answer.json)).toEqual(['data', 'next_cursor', 'has_more']);
              expect([answer.json.has_more, answer.json.data.length]).toEqual([true, limit]);
              const after = answer.json.next_cursor;
              const next = [`/${version}${own.path}`, { ...strings(parameters), after }];
              expect(parsedLinks(answer)).toEqual({ next });
            }
            const last = answers.at(-1) as Answer;
            expect([last.json.has_more, parsedLinks(last)]).toEqual([false, {}]);
            expect(last.json.next_cursor).toEqual(path.endsWith('/events') ? expect.any(String) : null);
          }
        }
      },
    ),
  );

  everyVersion((operation, version, path) =>
    testWith(...needsOf(operation))(
      `${path}: limit 1 and 100 are accepted; 0, 101 and mixed styles are 422 [CONTRACT §5]`,
      async () => {
        const { path: own } = await sharedRows(service, operation);
        const read = (parameters: string) => service.send(`/${version}${own}?${parameters}`);
        expect((await read('limit=1')).json.data).toHaveLength(1);
        expect((await read('limit=100')).status).toBe(200);
        const names = version === 'v1' ? ['limit', 'per_page'] : ['limit'];
        for (const name of names)
          for (const value of ['0', '101'])
            expect(refused(await read(`${name}=${value}`))).toEqual([422, 'validation-failed', [name]]);
        if (version === 'v2') {
          for (const name of ['page', 'per_page'])
            expect(refused(await read(`${name}=1`))).toEqual([422, 'validation-failed', [name]]);
          return;
        }
        expect((await read('per_page=100')).json).toMatchObject({ page: 1, per_page: 100 });
        const byNumber = await read('page=1');
        expect([idsOf(byNumber), byNumber.json.per_page]).toEqual([idsOf(await read('')), 20]);
        const { next_cursor } = (await read('limit=1')).json;
        for (const mixed of ['page=1&limit=1', 'per_page=1&limit=1', `page=1&after=${next_cursor}`])
          expect(refused(await read(mixed)).slice(0, 2)).toEqual([422, 'validation-failed']);
      },
    ),
  );

  everyList((operation, path) =>
    testWith(...needsOf(operation))(
      `${path}: without parameters at most 20 rows, the oldest first [CONTRACT §5]`,
      async () => {
        const own = await sharedRows(service, operation);
        const total = await totalOf(service, own.path);
        const { json } = await service.send(`/v1${own.path}`);
        expect(json.data).toHaveLength(Math.min(20, total));
        expect(json.has_more).toBe(total > 20);
        const ids = json.data.map(({ id }: { id: number }) => id);
        expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
      },
    ),
  );

  everyList((operation, path) =>
    testWith(...needsOf(operation))(
      `${path}: a new row is in the next list, without a filter [CONTRACT §5]`,
      async () => {
        const own = await createRows(service, operation, 1);
        for (let i = 1; i <= 2; i++) {
          const id = await own.create(i);
          expect(idsOf(await service.send(`/v1${own.path}?sort=-id&limit=1`))).toEqual([id]);
        }
        await own.settle?.();
      },
    ),
  );

  everyList((operation, path) =>
    testWith(...needsOf(operation))(
      `${path}, while rows are created and deleted: each row that stays once [CONTRACT §5]`,
      async () => {
        const own = await createRows(service, operation, 4);
        const change = async () => {
          for (let i = 0; i < 3; i++) {
            const id = await own.create(i);
            await own.remove?.(id);
          }
        };
        for (const sort of ['id', '-id']) {
          const target = `/v1${own.path}${query({ created_from: own.from, sort, limit: 2 })}`;
          const [{ ids }] = await Promise.all([walk(target, service.send), change()]);
          expect(new Set(ids).size).toBe(ids.length);
          const lasting = ids.filter((id) => own.ids.includes(id));
          expect(lasting).toEqual(sort === 'id' ? own.ids : own.ids.toReversed());
        }
        await own.settle?.();
      },
    ),
  );

  testWith('fullExtent', 'receiver')(
    'the row that a cursor points at is deleted: the next page follows it [CONTRACT §5]',
    async () => {
      for (const operation of lists) {
        const own = await createRows(service, operation, 3);
        if (!own.remove) continue;
        const parameters = { created_from: own.from, limit: 2 };
        const first = await service.send(`/v1${own.path}${query(parameters)}`);
        expect(idsOf(first)).toEqual(own.ids.slice(0, 2));
        expect((await own.remove(own.ids[1] as number)).status).toBe(204);
        const after = first.json.next_cursor;
        expect(idsOf(await service.send(`/v1${own.path}${query({ ...parameters, after })}`))).toEqual([own.ids[2]]);
      }
    },
  );
});

describe('Pages by number', () => {
  everyList((operation, path) =>
    testWith(...needsOf(operation))(
      `${path} by number in both orders: exact rows, total and links [CONTRACT §5]`,
      async () => {
        const own = await sharedRows(service, operation);
        const target = `/v1${own.path}`;
        for (const sort of ['id', '-id']) {
          const expected = sort === 'id' ? own.ids : own.ids.toReversed();
          for (const [page, per_page, relations] of [
            [1, 2, { first: 1, next: 2, last: 3 }],
            [2, 2, { first: 1, prev: 1, next: 3, last: 3 }],
            [3, 2, { first: 1, prev: 2, last: 3 }],
            [4, 2, { first: 1, prev: 3, last: 3 }],
            [9, 2, { first: 1, prev: 3, last: 3 }],
            [1, COUNT, { first: 1, last: 1 }],
          ] as const) {
            const parameters = { page, per_page, sort, fields: 'id', ...own.bounds };
            const answer = await service.send(`${target}${query(parameters)}`);
            const data = expected.slice((page - 1) * per_page, page * per_page).map((id) => ({ id }));
            expect(answer.json).toStrictEqual({ data, page, per_page, total_count: COUNT });
            expect(parsedLinks(answer)).toEqual(
              Object.fromEntries(
                Object.entries(relations).map(([name, to]) => [name, [target, strings({ ...parameters, page: to })]]),
              ),
            );
          }
        }
      },
    ),
  );

  everyList((operation, path) =>
    testWith(...needsOf(operation))(
      `${path} without a filter: the total and the last pages are exact [CONTRACT §5]`,
      async () => {
        const own = await createRows(service, operation, 1);
        const before = await totalOf(service, own.path);
        const newest = [await own.create(1), await own.create(2), await own.create(3)];
        expect(await totalOf(service, own.path)).toBe(before + 3);
        const read = (page: number) => service.send(`/v1${own.path}?page=${page}&per_page=1`);
        const last = await read(before + 3);
        expect([idsOf(last), last.json.total_count]).toEqual([[newest[2]], before + 3]);
        expect(idsOf(await read(before + 1))).toEqual([newest[0]]);
        for (const page of [before + 4, 1_000_000, Number.MAX_SAFE_INTEGER]) {
          const past = await read(page);
          const body = { data: [], page, per_page: 1, total_count: before + 3 };
          expect([past.status, past.json]).toEqual([200, body]);
        }
        if (own.remove) {
          await own.remove(newest[2] as number);
          expect(await totalOf(service, own.path)).toBe(before + 2);
          expect(idsOf(await read(before + 2))).toEqual([newest[1]]);
        }
        await own.settle?.();
      },
    ),
  );
});

const other = (character: string | undefined) => (character === 'A' ? 'B' : 'A');

const replaceAt = (text: string, i: number) => text.slice(0, i) + other(text[i]) + text.slice(i + 1);

describe('Cursors', () => {
  test('a cursor of another filter or path: 400 invalid-cursor; of its own: 200 [CONTRACT §5]', async () => {
    const ids = [await createInvoice(service), await createInvoice(service)];
    for (const id of ids) for (let i = 0; i < 2; i++) await pay(service, id, 1);
    for (const email of ['a@b', 'a@b', 'a@c', 'a@c']) await created(service, 'customers', { name: 'x', email });
    for (const [one, other] of [
      ['/v1/invoices?created_from=2020-01-01T00:00:00Z', '/v1/invoices?created_from=2021-01-01T00:00:00Z'],
      ['/v1/invoices?status=open', '/v1/invoices?status=draft'],
      ['/v1/customers?email=a@b', '/v1/customers?email=a@c'],
      ...['v1', 'v2'].map((version) => ids.map((id) => `/${version}/invoices/${id}/payments?sort=-id`)),
    ] as const) {
      const isFull = ({ json }: Answer) => json.next_cursor !== null;
      const { next_cursor } = (await service.until(`${one}&limit=1`, isFull)).json;
      const statuses = [one, other].map(
        async (target) => (await service.send(`${target}&after=${next_cursor}`)).status,
      );
      expect([one, ...(await Promise.all(statuses))]).toEqual([one, 200, 400]);
    }
  });

  for (const [operation, version] of partOf(listsInTurn, 5)) {
    const path = `/${version}${operation.route.split(' ')[1]}`;
    const filters = operation.list?.filters ?? [];
    testWith(...needsOf(operation))(`${path} with an altered cursor: 400 invalid-cursor [CONTRACT §5]`, async () => {
      const own = await sharedRows(service, operation);
      const target = `/${version}${own.path}`;
      const { next_cursor: cursor } = (await service.send(`${target}?limit=1`)).json;
      const places = [0, 1, Math.floor(cursor.length / 2), cursor.length - 2];
      const altered = [
        ...places.map((i) => replaceAt(cursor, i)),
        `${cursor}A`,
        cursor.slice(0, -1),
        cursor.slice(1),
        `${cursor}${cursor}`,
      ];
      for (const after of altered) {
        const { status, json } = await service.send(`${target}${query({ limit: 1, after })}`);
        expect([after, status, json.code]).toEqual([after, 400, 'invalid-cursor']);
      }
    });

    testWith('otherAccount', ...needsOf(operation))(
      `${path} with a cursor of another list: 400 invalid-cursor [CONTRACT §5]`,
      async () => {
        const own = await sharedRows(service, operation);
        const target = `/${version}${own.path}`;
        const { next_cursor: after } = (await service.send(`${target}?limit=1`)).json;
        const elsewhere: [string, Caller?][] = [
          [`/${version === 'v1' ? 'v2' : 'v1'}${own.path}${query({ after })}`],
          ...['/customers', '/events', '/payments']
            .filter((one) => one !== own.path)
            .map((one): [string] => [`/${version}${one}${query({ after })}`]),
          [`${target}${query({ after, sort: '-id' })}`],
          ...filters.map((name): [string] => [`${target}${query({ after, [name]: own.rows[1][name] })}`]),
          [`${target}${query({ after, created_from: own.from })}`],
          [`${target}${query({ after, created_before: '9999-01-01T00:00:00Z' })}`],
          ...(own.parent ? [] : [[`${target}${query({ after })}`, { account: 'other' }] as [string, Caller]]),
        ];
        for (const [at, as = {}] of elsewhere) {
          const { status, json } = await service.send(at, { as });
          expect([at, status, json.code]).toEqual([at, 400, 'invalid-cursor']);
        }
        for (const name of filters) {
          const filter = { [name]: own.rows[0][name] };
          const bounds = { ...own.bounds, limit: 1 };
          const filtered = (await service.send(`${target}${query({ ...bounds, ...filter })}`)).json.next_cursor;
          if (filtered === null) continue;
          const { status, json } = await service.send(`${target}${query({ ...bounds, after: filtered })}`);
          expect([status, json.code]).toEqual([400, 'invalid-cursor']);
        }
        const same = await service.send(`${target}${query({ after, limit: 3, fields: 'id', sort: 'id' })}`);
        expect(same.status).toBe(200);
      },
    );
  }
});
