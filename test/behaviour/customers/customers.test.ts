import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { openService, test } from '#test/support/service/open-service.ts';
import { created, idOf, outcome, patch, post, put, remove, times } from '../support/requests.ts';

const service = await openService();

const ADDRESS = { line1: '1 Main St', line2: null, city: 'Oslo', region: 'x', postal_code: '0150', country: 'NO' };

const WHOLE = {
  ...{ name: 'Ann', email: 'a@example.com', tax_id: 'NO1', address: ADDRESS },
  ...{ external_id: null, metadata: { tier: 'gold' } },
};

const DEFAULTS = { email: null, tax_id: null, address: null, external_id: null, metadata: {} };

/** The guide “Personal data”. */
const ANONYMIZATIONS = [
  ['PUT', put, { name: 'Anonymized' }],
  ['PATCH', patch, { name: 'Anonymized', email: null, tax_id: null, address: null, metadata: { tier: null } }],
] as const;

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('Customers', () => {
  test('POST: 201 with the customer, Location and ETag; GET returns the same [CONTRACT §4]', async () => {
    const answer = await post(service, '/v1/customers', WHOLE);
    expect(answer.status).toBe(201);
    const { id, created_at, updated_at, ...rest } = answer.json;
    expect(rest).toEqual(WHOLE);
    expect(Number.isSafeInteger(id) && id > 0).toBe(true);
    expect(created_at).toMatch(TIMESTAMP);
    expect(updated_at).toBe(created_at);
    expect(answer.headers).toMatchObject({ location: `/v1/customers/${id}`, etag: '"1"' });
    expect((await service.send(`/v1/customers/${id}`)).text).toBe(answer.text);
    expect((await service.send(`/v2/customers/${id}`)).text).toBe(answer.text);
  });

  test('customers created one after another: their ids ascend [CONTRACT §3]', async () => {
    const first = await created(service, 'customers', { name: 'a' });
    expect(idOf(await created(service, 'customers', { name: 'b' }))).toBeGreaterThan(idOf(first));
  });

  test('POST of a name alone: the other fields have their defaults [CONTRACT §4]', async () => {
    expect((await post(service, '/v1/customers', { name: 'Ann' })).json).toMatchObject({ name: 'Ann', ...DEFAULTS });
  });

  test('POST without a name: 422 required at /name [CONTRACT §4]', async () => {
    const answer = await post(service, '/v1/customers', {});
    expect([answer.status, answer.json.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/name', code: 'required' })],
    ]);
  });

  test('PATCH of one field: only this field, updated_at and the ETag change [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', WHOLE);
    const before = await service.send(path);
    const answer = await patch(service, path, { name: 'Bea' });
    expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
    expect(answer.json).toEqual({ ...before.json, name: 'Bea', updated_at: answer.json.updated_at });
    expect(answer.json.updated_at >= before.json.updated_at).toBe(true);
    expect((await service.send(path)).text).toBe(answer.text);
  });

  test('PATCH with null: a nullable field and a nested member are cleared [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', WHOLE);
    const change = { email: null, address: { city: 'Bergen', line2: null }, metadata: { tier: null, since: '2026' } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await patch(service, path, change, { headers });
    expect(answer.status).toBe(200);
    const { line2: _, ...others } = ADDRESS;
    expect(answer.json).toMatchObject({ name: 'Ann', email: null, tax_id: 'NO1', metadata: { since: '2026' } });
    expect(answer.json.address).toEqual({ ...others, city: 'Bergen' });
    expect((await service.send(path)).text).toBe(answer.text);
  });

  test('PATCH that makes metadata too large: 422, nothing changes [CONTRACT §4]', async () => {
    const metadata = Object.fromEntries(times(20, (i) => [`k${i}`, 'v']));
    const path = await created(service, 'customers', { name: 'x', metadata });
    expect(outcome(await patch(service, path, { metadata: { one: 'more' } }))).toEqual([422, 'validation-failed']);
    expect((await service.send(path)).json.metadata).toEqual(metadata);
    expect((await patch(service, path, { metadata: { k0: null, one: 'more' } })).status).toBe(200);
    expect(Object.keys((await service.send(path)).json.metadata)).toHaveLength(20);
  });

  test('PUT without an optional field: its default; read-only fields are ignored [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', WHOLE);
    const { json } = await service.send(path);
    const answer = await put(service, path, { name: 'Bea', id: 5, created_at: 'x' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ...json, name: 'Bea', ...DEFAULTS, updated_at: answer.json.updated_at });
    expect((await service.send(path)).text).toBe(answer.text);
  });

  test('PUT without a required field: 422, nothing changes [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', WHOLE);
    const answer = await put(service, path, {});
    expect(answer.json.errors).toEqual([expect.objectContaining({ pointer: '/name', code: 'required' })]);
    expect((await service.send(path)).json).toMatchObject(WHOLE);
  });

  test('PUT of an unknown id: 404, and no customer is created [CONTRACT §4]', async () => {
    expect(outcome(await put(service, '/v1/customers/12345', { name: 'x' }))).toEqual([404, 'not-found']);
    expect(outcome(await service.send('/v1/customers/12345'))).toEqual([404, 'not-found']);
  });

  test('DELETE: 204 without a body; DELETE, GET or PATCH after it: 404 [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', WHOLE);
    const gone = await remove(service, path);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(outcome(await remove(service, path))).toEqual([404, 'not-found']);
    expect(outcome(await service.send(path))).toEqual([404, 'not-found']);
    expect(outcome(await patch(service, path, { name: 'x' }))).toEqual([404, 'not-found']);
    const { json } = await service.send('/v1/customers?sort=-id');
    expect(json.data.map(({ id }: { id: number }) => id)).not.toContain(idOf(path));
  });

  test('DELETE of a customer that an invoice names, also a canceled one: 409; without invoices: 204 [CONTRACT §4]', async () => {
    const [path, other] = [await created(service, 'customers', WHOLE), await created(service, 'customers', WHOLE)];
    const [a, b] = await Promise.all(times(2, () => created(service, 'invoices', { customer_id: idOf(path) })));
    expect(outcome(await remove(service, path))).toEqual([409, 'customer-in-use']);
    await patch(service, a as string, { customer_id: idOf(other) });
    expect(outcome(await remove(service, path))).toEqual([409, 'customer-in-use']);
    await post(service, `${b}/cancel`);
    expect(outcome(await remove(service, path))).toEqual([409, 'customer-in-use']);
    await remove(service, b as string);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    expect((await remove(service, path)).status).toBe(204);
    expect(outcome(await remove(service, other))).toEqual([409, 'customer-in-use']);
    expect((await patch(service, a as string, { customer_id: null })).json.customer_id).toBeNull();
    expect((await remove(service, other)).status).toBe(204);
  });

  for (const [method, send, body] of ANONYMIZATIONS) {
    test(`${method} of anonymous values to a customer that a paid invoice names: 200, DELETE is 409, and no read shows the former values [CONTRACT §4]`, async () => {
      const email = `${randomUUID()}@example.com`;
      const path = await created(service, 'customers', { ...WHOLE, email });
      const invoice = await created(service, 'invoices', { customer_id: idOf(path), total_cents: 100 });
      await created(service, 'payments', { invoice_id: idOf(invoice), amount_cents: 100 });
      const answer = await send(service, path, body);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ name: 'Anonymized', ...DEFAULTS });
      expect(outcome(await remove(service, path))).toEqual([409, 'customer-in-use']);
      const expanded = await service.send(`${invoice}?expand=customer`);
      expect(expanded.json).toMatchObject({ status: 'paid', customer: answer.json });
      expect((await service.send(`/v1/customers?email=${email}`)).json.data).toEqual([]);
      const events = await service.send(`/v1/events?resource_id=${idOf(path)}`);
      expect(events.json.data.at(-1).changed).toEqual(['address', 'email', 'metadata', 'name', 'tax_id']);
      expect(
        [email, ...Object.values(ADDRESS), 'gold'].filter((text) => text && events.text.includes(`"${text}"`)),
      ).toEqual([]);
    });
  }
});
