import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Caller } from '#test/acceptance/suite/service.ts';
import { query } from '../support/pages.ts';
import { listsInTurn, sharedRows } from '../support/rows.ts';

const other = (character: string | undefined) => (character === 'A' ? 'B' : 'A');
const replaceAt = (text: string, i: number) => text.slice(0, i) + other(text[i]) + text.slice(i + 1);

export const cursors: Group = {
  name: 'Cursors',
  checks: listsInTurn.flatMap(([operation, version]) => {
    const path = `/${version}${operation.route.split(' ')[1]}`;
    const filters = operation.list?.filters ?? [];
    return [
      check('CONTRACT §5', `${path} with an altered cursor: 400 invalid-cursor`, async (service) => {
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
      }),
      check('CONTRACT §5', `${path} with a cursor of another list: 400 invalid-cursor`, async (service) => {
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
      }),
    ];
  }),
};
