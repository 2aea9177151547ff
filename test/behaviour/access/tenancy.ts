import { expect } from 'expect';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { type Check, check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Caller, Service } from '#test/acceptance/suite/service.ts';
import { ownHeaders } from '#test/acceptance/suite/transport.ts';
import { idsIn, referencesOf } from '#test/support/requests/references.ts';
import { matrix, request } from '#test/support/requests/requests.ts';
import { foreignNamed, inTurn, sharedPrerequisites } from '../support/prerequisites.ts';
import { outcome } from '../support/requests.ts';

type Row = (typeof matrix)[number];

/** The parts of a response that a client sees, without the request id. */
const seen = (answer: Answer) => [
  answer.status,
  { ...ownHeaders(answer), 'x-request-id': '', ratelimit: '' },
  answer.json?.request_id === undefined ? answer.text : answer.text.replace(answer.json.request_id, ''),
];

const OTHER = { account: 'other' };
const nounOf = (name: string) => name.slice(0, -'_id'.length).replaceAll('_', ' ');

const idInPath = ([title, version, , operation]: Row): Check[] =>
  (routeOf(operation).path.match(/(?<=\{)\w+/g) ?? []).map((name) =>
    check('CONTRACT §2', `${title}, ${name} of another account: exactly the 404 of a missing id`, async (service) => {
      const own = await sharedPrerequisites(service, operation);
      const { [name]: id = 0 } = await sharedPrerequisites(service, operation, OTHER);
      const ask = (value: number | string) => {
        const { target, sent } = request(operation, version, { ...own, [name]: value });
        return service.send(target, sent);
      };
      const foreign = await ask(id);
      expect(outcome(foreign)).toEqual([404, 'not-found']);
      expect(seen(foreign)).toEqual(seen(await ask(id + 1)));
      expect(seen(foreign)).toEqual(seen(await ask('abc')));
    }),
  );

/** Ids in a body that never change: any other value is 422, also an id that exists (CONTRACT §4). */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'PATCH /invoice-items/{invoice_item_id}': ['/invoice_id'],
  'PUT /invoice-items/{invoice_item_id}': ['/invoice_id'],
};

const sendWith = async (service: Service, [, version, , operation]: Row, name: string, id: number) => {
  const { target, sent } = request(operation, version, await sharedPrerequisites(service, operation));
  return service.send(target, { ...sent, body: { ...(sent.body as object), [name]: id } });
};

const idInBody = (row: Row): Check[] =>
  referencesOf(row[3]).map((pointer) => {
    const name = pointer.slice(1);
    const isFixed = FIXED[row[3].route]?.includes(pointer) ?? false;
    const expected = isFixed ? '422' : '404 that names the field';
    return check('CONTRACT §2', `${row[0]}, ${name} in the body, of another account: ${expected}`, async (service) => {
      const id = await foreignNamed(service, name);
      const foreign = await sendWith(service, row, name, id);
      expect(outcome(foreign)).toEqual(isFixed ? [422, 'validation-failed'] : [404, 'not-found']);
      expect(seen(foreign)).toEqual(seen(await sendWith(service, row, name, id + 1)));
      if (!isFixed) expect(foreign.json.detail).toBe(`No ${nounOf(name)} has the id in ${name}.`);
    });
  });

/** The filters of a list whose values are ids. */
const idFiltersOf = ({ list, returns }: Operation): string[] =>
  (list?.filters ?? []).filter((name) => {
    const field = returns[200]?.fields.v1[name];
    return field && idsIn(field.schema).length > 0;
  });

/** A cursor belongs to its filter. */
const withoutCursor = (answer: Answer): Answer => ({
  ...answer,
  text: answer.text.replace(/(?<="next_cursor":")[^"]*/, ''),
});

const idInFilter = ([title, version, , operation]: Row): Check[] =>
  idFiltersOf(operation).map((name) =>
    check('CONTRACT §12', `${title}, a filter by ${name} of another account: no rows`, async (service) => {
      const { target, sent } = request(operation, version, await sharedPrerequisites(service, operation));
      const id = await foreignNamed(service, name);
      const list = (value: number) => service.send(`${target}?${name}=${value}`, sent);
      const foreign = await list(id);
      expect([foreign.status, foreign.json.data]).toEqual([200, []]);
      expect(seen(withoutCursor(foreign))).toEqual(seen(withoutCursor(await list(id + 1))));
    }),
  );

const members = matrix.filter(([, version, , { list }]) => list && version === 'v1');

const lists: Check[] = members
  .filter(([, , , operation]) => !routeOf(operation).path.includes('{'))
  .map(([title, , , operation]) =>
    check('§5', `${title}: no row of another account, in either style`, async (service) => {
      await sharedPrerequisites(service, operation, OTHER);
      const path = `/v1${routeOf(operation).path}`;
      const since = new Date(Date.now() - 600_000).toISOString();
      for (const query of ['?sort=-id&limit=100', `?page=1&per_page=100&created_from=${since}`]) {
        const read = async (as: Caller): Promise<string[]> =>
          (await service.send(path + query, { as })).json.data.map((row: object) => JSON.stringify(row));
        const [own, foreign] = [await read({}), await read(OTHER)];
        expect(foreign).not.toEqual([]);
        // Events of two accounts may have the same id.
        for (const row of foreign) expect(own).not.toContain(row);
      }
    }),
  );

export const tenancy: Group = {
  name: 'Ids of another account',
  checks: [...matrix.flatMap(idInPath), ...[idInBody, idInFilter].flatMap((make) => inTurn.flatMap(make)), ...lists],
};
