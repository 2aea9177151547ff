import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { routeOf } from '#shared/http/endpoint.ts';
import { forgetExports, type Ids, make, matrix, request, scopesOf } from '#test/support/requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const same = ({ json }: Answer) => ({ ...json, request_id: undefined });
const NOUNS = ['customers', 'invoices', 'payments', 'refunds', 'exports'];
const SCOPES = NOUNS.flatMap((noun) => [`${noun}:read`, `${noun}:write`]);

describe.each(matrix)('%s', (_, version, _name, operation) => {
  const { method, path } = routeOf(operation);
  let ids: Ids;
  const ask = (named: Readonly<Record<string, number | string>>, sent = {}) => {
    const { target, sent: usual } = request(operation, version, named);
    return service.send(target, { ...usual, ...sent });
  };

  beforeAll(async () => {
    ids = await make(service, operation);
  });
  beforeEach(() => forgetExports(service));

  test('§5: without a token 401, whatever else is wrong', async () => {
    const { target, sent } = request(operation, version, ids);
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, headers: { authorization: undefined } });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'unauthenticated', type: '/problems/unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing"');
  });

  test('§5: with every scope but its own 403, whatever else is wrong', async () => {
    const { target, sent } = request(operation, version, ids);
    const claims = { role: undefined, scope: SCOPES.filter((one) => one !== operation.scope).join(' ') };
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, body: '{', claims });
    expect(answer.status).toBe(403);
    expect(answer.json.code).toBe('insufficient-scope');
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="invoicing", error="insufficient_scope", scope="${operation.scope}"`,
    );
  });

  test('§5: its own scope is enough, and the answer fits its schema', async () => {
    const answer = await ask(await make(service, operation), {
      claims: { role: undefined, scope: scopesOf(operation) },
    });
    const [status, resource] = Object.entries(operation.returns)[0] ?? [];
    expect([answer.status, answer.json?.code]).toEqual([Number(status), undefined]);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
    if (!resource) return expect(answer.text).toBe('');
    const rows = operation.lists ? answer.json.data : [answer.json];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(Object.keys(resource.fields[version]));
      for (const [name, field] of Object.entries(resource.fields[version]))
        expect([name, v.is(field.schema, row[name])]).toEqual([name, true]);
    }
  });

  test('CONTRACT §4: an unknown query parameter is 422', async () => {
    const { target, sent } = request(operation, version, ids);
    const answer = await service.send(`${target}?misspelt=1`, sent);
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toContainEqual(
      expect.objectContaining({ parameter: 'misspelt', code: 'unknown-parameter' }),
    );
  });

  if (path.includes('{') || path === '/payments' || path === '/refunds' || path === '/invoice-items') {
    test('§5 Order 3: another account’s id equals a missing one, byte for byte except request_id', async () => {
      if (!path.includes('{') && method === 'GET') return;
      const foreign = await make(service, operation, { account_id: 'acct_other' });
      const next = Object.fromEntries(Object.entries(foreign).map(([name, id]) => [name, id + 1]));
      const [other, missing] = [await ask(foreign), await ask(next)];
      expect([other.status, other.json.code]).toEqual([404, 'not-found']);
      expect(same(other)).toEqual(same(missing));
      if (!path.includes('{')) return;
      const named = path.match(/(?<=\{)\w+/g) ?? [];
      const none = await ask({ ...foreign, ...Object.fromEntries(named.map((name) => [name, 'abc'])) });
      expect(same(other)).toEqual(same(none));
    });
  }

  if (path.includes('{') && method !== 'GET') {
    test('CONTRACT §7: a stale If-Match is 412 with the current tag, and malformed 400', async () => {
      const named = await make(service, operation);
      const stale = await ask(named, { headers: { 'if-match': '"99"' } });
      expect([stale.status, stale.json.code, stale.headers['etag']]).toEqual([412, 'precondition-failed', '"1"']);
      const malformed = await ask(named, { headers: { 'if-match': '99' } });
      expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-header']);
    });
  }

  if (method === 'POST') {
    test('CONTRACT §8: a key is a UUID, and required where the operation says so', async () => {
      const named = await make(service, operation);
      const headers = { 'idempotency-key': undefined };
      const without = await ask(named, { headers });
      if (operation.idempotency) expect([without.status, without.json.code]).toEqual([400, 'idempotency-key-required']);
      else expect(without.status).toBeLessThan(300);
      const malformed = await ask(named, { headers: { 'idempotency-key': 'x' } });
      expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-idempotency-key']);
    });
  }

  test('§5: the token’s account alone counts, not one in a query or body', async () => {
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
