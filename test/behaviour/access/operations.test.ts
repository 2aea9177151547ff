import { describe, expect } from '@jest/globals';
import * as v from 'valibot';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { idsIn, referencesOf } from '#test/support/requests/references.ts';
import { matrix, operations, readableResources, request, scopesOf } from '#test/support/requests/requests.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { openService, publicTest, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { ownHeaders } from '#test/support/service/transport.ts';
import {
  foreignNamed,
  inTurn,
  needsOf,
  prepare,
  prepareShared,
  sharedPrerequisites,
} from '../support/prerequisites.ts';
import { challenge, outcome } from '../support/requests.ts';

/** Most statuses of each operation occur here. */
const service = await openService({ documented: true });

type Row = (typeof matrix)[number];

/** Ids of no resource: these errors come before a 404 (§5). */
const MISSING = Object.fromEntries([...readableResources.keys()].map((name) => [name, 1]));

const SCOPES = [...new Set(operations.map(([, { scope }]) => scope))];

const withoutToken = ([title, version, , operation]: Row): void => {
  publicTest(`${title}, no token and an unknown parameter: 401 [§5]`, async () => {
    const { target, sent } = request(operation, version, MISSING);
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, as: 'nobody' });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'unauthenticated', type: '/problems/unauthenticated', status: 401 });
    expect(answer.headers['www-authenticate']).toEqual(challenge());
  });
};

const withoutScope = ([title, version, , operation]: Row): void => {
  test(`${title}, all scopes except the required scope, and a malformed body: 403 [§5]`, async () => {
    const { target, sent } = request(operation, version, MISSING);
    const scope = SCOPES.filter((one) => one !== operation.scope).join(' ');
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, body: '{', as: { scope } });
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient-scope']);
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="invoicing", error="insufficient_scope", scope="${operation.scope}"`,
    );
  });
};

const withScope = ([title, version, , operation]: Row): void => {
  testWith(...needsOf(operation))(
    `${title}, the required scope alone: success, and the response fits its schema [§5]`,
    async () => {
      const { target, sent } = await (operation.isWrite ? prepare : prepareShared)(service, operation, version);
      const answer = await service.send(target, { ...sent, as: { scope: scopesOf(operation) } });
      const [status, resource] = Object.entries(operation.returns)[0] ?? [];
      expect([answer.status, answer.json?.code]).toEqual([Number(status), undefined]);
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
      if (!resource) return expect(answer.text).toBe('');
      const rows = operation.list ? answer.json.data : [answer.json];
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        expect(Object.keys(row)).toEqual(Object.keys(resource.fields[version]));
        for (const [name, field] of Object.entries(resource.fields[version]))
          expect([name, v.is(field.schema, row[name])]).toEqual([name, true]);
      }
    },
  );
};

const withUnknownNames = ([title, version, , operation]: Row): void => {
  test(`${title}, an unknown parameter, account_id or role: 422 [CONTRACT §4]`, async () => {
    const { target, sent } = request(operation, version, MISSING);
    for (const parameter of ['misspelt', 'account_id', ...(operation.isWrite ? ['fields', 'expand'] : [])]) {
      const answer = await service.send(`${target}?${parameter}=other`, sent);
      expect(answer.status).toBe(422);
      expect(answer.json.errors).toContainEqual(expect.objectContaining({ parameter, code: 'unknown-parameter' }));
    }
    if (!operation.body) return;
    const body = { ...(sent.body as object), account_id: 'acct_other', role: 'admin' };
    const answer = await service.send(target, { ...sent, body });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/account_id', '/role']);
  });
};

describe('Access to each operation', () => {
  for (const [i, define] of [withoutToken, withoutScope, withScope, withUnknownNames].entries())
    for (const row of partOf(matrix, 7, i)) define(row);
});

/** The parts of a response that a client sees, without the request id. */
const seen = (answer: Answer) => [
  answer.status,
  { ...ownHeaders(answer), 'x-request-id': '', ratelimit: '' },
  answer.json?.request_id === undefined ? answer.text : answer.text.replace(answer.json.request_id, ''),
];

const OTHER = { account: 'other' };

const nounOf = (name: string) =>
  name === 'series_id' ? 'number series' : name.slice(0, -'_id'.length).replaceAll('_', ' ');

const idInPath = ([title, version, , operation]: Row): void => {
  for (const name of operation.path.match(/(?<=\{)\w+/g) ?? []) {
    testWith('otherAccount', ...needsOf(operation))(
      `${title}, ${name} of another account: exactly the 404 of a missing id [CONTRACT §2]`,
      async () => {
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
      },
    );
  }
};

/** Ids in a body that never change: any other value is 422, also an id that exists (CONTRACT §4). */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'PATCH /invoice-items/{invoice_item_id}': ['/invoice_id'],
  'PUT /invoice-items/{invoice_item_id}': ['/invoice_id'],
};

const sendWith = async (service: Service, [, version, , operation]: Row, name: string, id: number) => {
  const { target, sent } = request(operation, version, await sharedPrerequisites(service, operation));
  return service.send(target, { ...sent, body: { ...(sent.body as object), [name]: id } });
};

const idInBody = (row: Row): void => {
  for (const pointer of referencesOf(row[3])) {
    const name = pointer.slice(1);
    const isFixed = FIXED[row[3].route]?.includes(pointer) ?? false;
    const expected = isFixed ? '422' : '404 that names the field';
    testWith('otherAccount')(
      `${row[0]}, ${name} in the body, of another account: ${expected} [CONTRACT §2]`,
      async () => {
        const id = await foreignNamed(service, name);
        const foreign = await sendWith(service, row, name, id);
        expect(outcome(foreign)).toEqual(isFixed ? [422, 'validation-failed'] : [404, 'not-found']);
        expect(seen(foreign)).toEqual(seen(await sendWith(service, row, name, id + 1)));
        if (!isFixed) expect(foreign.json.detail).toBe(`No ${nounOf(name)} has the id in ${name}.`);
      },
    );
  }
};

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

const idInFilter = ([title, version, , operation]: Row): void => {
  for (const name of idFiltersOf(operation)) {
    testWith('otherAccount', ...needsOf(operation))(
      `${title}, a filter by ${name} of another account: no rows [CONTRACT §12]`,
      async () => {
        const { target, sent } = request(operation, version, await sharedPrerequisites(service, operation));
        const id = await foreignNamed(service, name);
        const list = (value: number) => service.send(`${target}?${name}=${value}`, sent);
        const foreign = await list(id);
        expect([foreign.status, foreign.json.data]).toEqual([200, []]);
        expect(seen(withoutCursor(foreign))).toEqual(seen(withoutCursor(await list(id + 1))));
      },
    );
  }
};

const lists = matrix.filter(
  ([, version, , operation]) => operation.list && version === 'v1' && !operation.path.includes('{'),
);

describe('Ids of another account', () => {
  for (const row of partOf(matrix, 7)) idInPath(row);
  for (const row of partOf(inTurn, 5)) {
    idInBody(row);
    idInFilter(row);
  }

  for (const [title, , , operation] of partOf(lists, 3)) {
    testWith('otherAccount', ...needsOf(operation))(
      `${title}: no row of another account, in either style [§5]`,
      async () => {
        await sharedPrerequisites(service, operation, OTHER);
        const path = `/v1${operation.path}`;
        const since = new Date(Date.now() - 600_000).toISOString();
        for (const query of ['?sort=-id&limit=100', `?page=1&per_page=100&created_from=${since}`]) {
          const read = async (as: Caller): Promise<string[]> =>
            (await service.send(path + query, { as })).json.data.map((row: object) => JSON.stringify(row));
          const [own, foreign] = [await read({}), await read(OTHER)];
          expect(foreign).not.toEqual([]);
          // Events of two accounts may have the same id.
          for (const row of foreign) expect(own).not.toContain(row);
        }
      },
    );
  }
});
