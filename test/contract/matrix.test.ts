import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { routeOf } from '#shared/http/endpoint.ts';
import { collectionOf, make, matrix, request } from '#test/support/requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
const ids: Record<string, number> = {};

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const same = ({ json }: Answer) => ({ ...json, request_id: undefined });

describe.each(matrix)('%s', (_, version, _name, operation) => {
  const collection = collectionOf(operation);
  const hasId = routeOf(operation).path.includes('{');
  const ask = (id: number, sent = {}) => {
    const { target, sent: usual } = request(operation, version, id);
    return service.send(target, { ...usual, ...sent });
  };

  beforeAll(async () => {
    ids[collection] = await make(service, collection);
  });

  test('§5: without a token 401, whatever else is wrong', async () => {
    const { target, sent } = request(operation, version, ids[collection] ?? 0);
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, headers: { authorization: undefined } });
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ code: 'unauthenticated', type: '/problems/unauthenticated' });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="invoicing"');
  });

  test('§5: with every scope but its own 403, whatever else is wrong', async () => {
    const nouns = ['customers', 'invoices', 'payments', 'refunds', 'exports'];
    const all = nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`]);
    const scope = all.filter((one) => one !== operation.scope).join(' ');
    const { target, sent } = request(operation, version, ids[collection] ?? 0);
    const claims = { role: undefined, scope };
    const answer = await service.send(`${target}?nonsense=1`, { ...sent, body: '{', claims });
    expect(answer.status).toBe(403);
    expect(answer.json.code).toBe('insufficient-scope');
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="invoicing", error="insufficient_scope", scope="${operation.scope}"`,
    );
  });

  test('§5: its own scope alone is enough, and the answer fits its schema', async () => {
    const id = await make(service, collection);
    const answer = await ask(id, { claims: { role: undefined, scope: operation.scope } });
    const [status, resource] = Object.entries(operation.returns)[0] ?? [];
    expect(answer.status).toBe(Number(status));
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
    if (!resource) return expect(answer.text).toBe('');
    const rows = operation.lists ? answer.json.data : [answer.json];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(Object.keys(resource.fields[version]));
      for (const [name, field] of Object.entries(resource.fields[version]))
        expect([name, v.is(field.schema, row[name])]).toEqual([name, true]);
      expect(row).not.toHaveProperty('account_id');
    }
  });

  test('CONTRACT §10: an unknown query parameter is 422 and changes nothing', async () => {
    const answer = await service.send(`${request(operation, version, ids[collection] ?? 0).target}?misspelt=1`, {
      ...request(operation, version, ids[collection] ?? 0).sent,
    });
    expect(answer.status).toBe(422);
    expect(answer.json.errors).toContainEqual(
      expect.objectContaining({ parameter: 'misspelt', code: 'unknown-parameter' }),
    );
  });

  if (hasId) {
    test('§5 Order 3: another account’s id equals a missing one, byte for byte except request_id', async () => {
      const foreign = await make(service, collection, { account_id: 'acct_other' });
      const [other, missing, none] = await Promise.all([
        ask(foreign),
        ask(foreign + 1),
        service.send(request(operation, version, 'abc').target, request(operation, version, 'abc').sent),
      ]);
      expect(other?.status).toBe(404);
      expect(other?.json.code).toBe('not-found');
      expect(same(other as Answer)).toEqual(same(missing as Answer));
      expect(same(other as Answer)).toEqual(same(none as Answer));
    });

    test('CONTRACT §7: a stale If-Match is 412 with the current tag, and malformed 400', async () => {
      if (routeOf(operation).method === 'GET') return;
      const id = await make(service, collection);
      const stale = await ask(id, { headers: { 'if-match': '"99"' } });
      expect([stale.status, stale.json.code, stale.headers['etag']]).toEqual([412, 'precondition-failed', '"1"']);
      const malformed = await ask(id, { headers: { 'if-match': '99' } });
      expect([malformed.status, malformed.json.code]).toEqual([400, 'invalid-header']);
    });
  }

  test('CONTRACT §2: the token’s account alone counts, not one in a query or body', async () => {
    const { target, sent } = request(operation, version, ids[collection] ?? 0);
    const query = await service.send(`${target}?account_id=acct_other`, sent);
    expect(query.json.errors).toContainEqual(expect.objectContaining({ parameter: 'account_id' }));
    if (!operation.body) return;
    const body = await service.send(target, {
      ...sent,
      body: { ...(sent.body as object), account_id: 'acct_other', role: 'admin' },
    });
    expect(body.status).toBe(422);
    expect(body.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/account_id', '/role']);
  });
});
