import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { idsIn, referencesOf } from '#test/support/references.ts';
import {
  createNamed,
  createPrerequisites,
  type Ids,
  matrix,
  operations,
  request,
  resetCounters,
  scopesOf,
} from '#test/support/requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The parts of a response that a client sees, without the request id. */
const seen = ({ status, headers, text, json }: Answer) => [
  status,
  { ...headers, 'x-request-id': '' },
  json?.request_id === undefined ? text : text.replace(json.request_id, ''),
];
const CURSOR = /(?<="next_cursor":")[^"]*/;
const SCOPES = [...new Set(operations.map(([, { scope }]) => scope))];
const OTHER = { account_id: 'acct_other' };

/** Ids in a body that never change: any other value is 422, also an id that exists (CONTRACT §4). */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  'PATCH /invoice-items/{invoice_item_id}': ['/invoice_id'],
  'PUT /invoice-items/{invoice_item_id}': ['/invoice_id'],
};

/** The filters of a list whose values are ids. */
const idFiltersOf = ({ list, returns }: Operation): string[] =>
  (list?.filters ?? []).filter((name) => {
    const field = returns[200]?.fields.v1[name];
    return field && idsIn(field.schema).length > 0;
  });

const nounOf = (name: string) => name.slice(0, -'_id'.length).replaceAll('_', ' ');

describe.each(matrix)('%s', (_, version, _name, operation) => {
  const { method, path } = routeOf(operation);
  let ids: Ids;
  const ask = (named: Readonly<Record<string, number | string>>, sent = {}) => {
    const { target, sent: usual } = request(operation, version, named);
    return service.send(target, { ...usual, ...sent });
  };

  beforeAll(async () => {
    ids = await createPrerequisites(service, operation);
  });
  beforeEach(() => resetCounters(service));

  test('no token and an unknown parameter: 401 [§5]', async () => {
    const { target, sent } = request(operation, version, ids);
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, headers: { authorization: undefined } });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'unauthenticated', type: '/problems/unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing"');
  });

  test('every scope but the required one, and a malformed body: 403 [§5]', async () => {
    const { target, sent } = request(operation, version, ids);
    const claims = { role: undefined, scope: SCOPES.filter((one) => one !== operation.scope).join(' ') };
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, body: '{', claims });
    expect(answer.status).toBe(403);
    expect(answer.json.code).toBe('insufficient-scope');
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="invoicing", error="insufficient_scope", scope="${operation.scope}"`,
    );
  });

  test('the required scope alone: success, and the response fits its schema [§5]', async () => {
    const answer = await ask(await createPrerequisites(service, operation), {
      claims: { role: undefined, scope: scopesOf(operation) },
    });
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
  });

  test('an unknown query parameter: 422 [CONTRACT §4]', async () => {
    const { target, sent } = request(operation, version, ids);
    const answer = await service.send(`${target}?misspelt=1`, sent);
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toContainEqual(
      expect.objectContaining({ parameter: 'misspelt', code: 'unknown-parameter' }),
    );
  });

  for (const name of path.match(/(?<=\{)\w+/g) ?? []) {
    test(`${name} of another account: the 404 of a missing id, byte for byte except request_id [§5, CONTRACT §2]`, async () => {
      const own = await createPrerequisites(service, operation);
      const { [name]: id = 0 } = await createPrerequisites(service, operation, OTHER);
      const [foreign, missing] = [await ask({ ...own, [name]: id }), await ask({ ...own, [name]: id + 1 })];
      expect([foreign.status, foreign.json.code]).toEqual([404, 'not-found']);
      expect(seen(foreign)).toEqual(seen(missing));
      expect(seen(foreign)).toEqual(seen(await ask({ ...own, [name]: 'abc' })));
    });
  }

  for (const pointer of referencesOf(operation)) {
    const name = pointer.slice(1);
    const isFixed = FIXED[operation.route]?.includes(pointer);
    const send = async (id: number) => {
      const { target, sent } = request(operation, version, await createPrerequisites(service, operation));
      return service.send(target, { ...sent, body: { ...(sent.body as object), [name]: id } });
    };

    test(`${pointer} of another account: the response for a missing id, byte for byte except request_id [CONTRACT §2]`, async () => {
      const id = await createNamed(service, name, OTHER);
      const [foreign, missing] = [await send(id), await send(id + 1)];
      expect([foreign.status, foreign.json.code]).toEqual(isFixed ? [422, 'validation-failed'] : [404, 'not-found']);
      expect(seen(foreign)).toEqual(seen(missing));
    });

    if (isFixed) continue;
    test(`${pointer} of another account: the detail names the field [CONTRACT §2]`, async () => {
      const { json } = await send(await createNamed(service, name, OTHER));
      expect(json.detail).toBe(`No ${nounOf(name)} has the id in ${name}.`);
    });
  }

  for (const name of idFiltersOf(operation)) {
    test(`a filter by a ${name} of another account: no rows, as for a missing id [CONTRACT §12]`, async () => {
      const { target, sent } = request(operation, version, ids);
      const id = await createNamed(service, name, OTHER);
      const list = (value: number) => service.send(`${target}?${name}=${value}`, sent);
      const [foreign, missing] = [await list(id), await list(id + 1)];
      expect([foreign.status, foreign.json.data]).toEqual([200, []]);
      // A cursor belongs to its filter.
      const withoutCursor = (response: Answer) => ({ ...response, text: response.text.replace(CURSOR, '') });
      expect(seen(withoutCursor(foreign))).toEqual(seen(withoutCursor(missing)));
    });
  }

  if (method === 'GET') {
    test('HEAD: the status and headers of GET, and no body [CONTRACT §4, CONTRACT §12]', async () => {
      const [get, head] = [await ask(ids), await ask(ids, { method: 'HEAD' })];
      expect([head.status, head.text]).toEqual([get.status, '']);
      const names = Object.keys(head.headers).filter((name) => name !== 'content-length');
      expect(names).toEqual(Object.keys(get.headers).filter((name) => name !== 'content-length'));
    });
  }

  if (method === 'GET' && operation.returns[200] && !operation.list) {
    test('the current ETag in If-None-Match: 304 with the same ETag and no body [CONTRACT §7]', async () => {
      const etag = (await ask(ids)).headers['etag'] as string;
      expect(etag).toMatch(/^"[^"]+"$/);
      const answer = await ask(ids, { headers: { 'if-none-match': etag } });
      expect([answer.status, answer.headers['etag'], answer.text]).toEqual([304, etag, '']);
    });
  }

  if (path.includes('{') && method !== 'GET') {
    test('a stale If-Match: 412 with the current ETag; a malformed one: 400 [CONTRACT §7]', async () => {
      const named = await createPrerequisites(service, operation);
      const stale = await ask(named, { headers: { 'if-match': '"99"' } });
      expect([stale.status, stale.json.code, stale.headers['etag']]).toEqual([412, 'precondition-failed', '"1"']);
      const malformed = await ask(named, { headers: { 'if-match': '99' } });
      expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-header']);
    });
  }

  if (method === 'POST') {
    test('no key: 400 only where a key is required; a key that is not a UUID: 400 [CONTRACT §8]', async () => {
      const named = await createPrerequisites(service, operation);
      const headers = { 'idempotency-key': undefined };
      const without = await ask(named, { headers });
      if (operation.idempotency === 'required')
        expect([without.status, without.json.code]).toEqual([400, 'idempotency-key-required']);
      else expect(without.status).toBeLessThan(300);
      const malformed = await ask(named, { headers: { 'idempotency-key': 'x' } });
      expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-idempotency-key']);
    });
  }

  test('account_id in the query, account_id and role in the body: 422 [§5, CONTRACT §4]', async () => {
    const { target, sent } = request(operation, version, ids);
    const query = await service.send(`${target}?account_id=acct_other`, sent);
    expect(query.json.errors).toContainEqual(expect.objectContaining({ parameter: 'account_id' }));
    if (!operation.body) return;
    const body = { ...(sent.body as object), account_id: 'acct_other', role: 'admin' };
    const answer = await service.send(target, { ...sent, body });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/account_id', '/role']);
  });
});

const paths = Map.groupBy(
  operations.map(([, operation]) => routeOf(operation)),
  ({ path }) => path.replaceAll(/\{\w+\}/g, '1'),
);

describe.each([...paths])('%s', (path, routes) => {
  const methods: readonly string[] = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
    (method) => !methods.includes(method),
  );

  test.each(others)('%s, which the path lacks: 405 with its methods [CONTRACT §4]', async (method) => {
    for (const version of VERSIONS) {
      const answer = await service.send(`/${version}${path}`, { method, headers: { authorization: undefined } });
      expect(answer.status).toBe(405);
      expect(answer.headers['allow']?.split(', ').sort()).toEqual([...methods, 'OPTIONS'].sort());
    }
  });

  test('no version, or an unknown one: 404 version-required [CONTRACT §4]', async () => {
    for (const prefix of ['', '/v0', '/v3']) {
      const answer = await service.send(`${prefix}${path}`, { headers: { authorization: undefined } });
      expect([answer.status, answer.json.code]).toEqual([404, 'version-required']);
    }
  });
});
