import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkInvariants } from '#test/support/invariants.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const post = (path: string, body?: object) => service.send(path, { method: 'POST', ...(body && { body }) });
const put = (path: string, body: object) => service.send(path, { method: 'PUT', body });
const patch = (path: string, body: object, headers = {}) => service.send(path, { method: 'PATCH', body, headers });
const remove = (path: string) => service.send(path, { method: 'DELETE' });
const create = async (path: string, body: object): Promise<string> =>
  (await post(path, body)).headers['location'] as string;
const idOf = (location: string) => Number(location.split('/').at(-1));
const outcome = ({ status, json }: Answer) => [status, json?.code];

describe('customers', () => {
  const address = { line1: '1 Main St', line2: null, city: 'Oslo', region: 'x', postal_code: '0150', country: 'NO' };
  const whole = { name: 'Ann', email: 'a@example.com', tax_id: 'NO1', address, metadata: { tier: 'gold' } };

  test('POST: 201 with the whole customer and Location; GET returns the same [CONTRACT §4]', async () => {
    const created = await post('/v1/customers', whole);
    expect(created.status).toBe(201);
    const { id, created_at, updated_at, ...rest } = created.json;
    expect(rest).toEqual(whole);
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(updated_at).toBe(created_at);
    expect(created.headers['location']).toBe(`/v1/customers/${id}`);
    expect((await service.send(`/v1/customers/${id}`)).text).toBe(created.text);
    expect((await service.send(`/v2/customers/${id}`)).text).toBe(created.text);
  });

  test('an omitted field: its default [CONTRACT §4]', async () => {
    const { json } = await post('/v1/customers', { name: 'Ann' });
    expect(json).toMatchObject({ email: null, tax_id: null, address: null, metadata: {} });
  });

  test('PATCH with null: a nullable field and a nested member are cleared, others stay [CONTRACT §4]', async () => {
    const path = await create('/v1/customers', whole);
    const change = { email: null, address: { city: 'Bergen', line2: null }, metadata: { tier: null, since: '2026' } };
    const answer = await patch(path, change, { 'content-type': 'application/merge-patch+json' });
    expect(answer.status).toBe(200);
    const { line2: _, ...others } = address;
    expect(answer.json).toMatchObject({ name: 'Ann', email: null, tax_id: 'NO1', metadata: { since: '2026' } });
    expect(answer.json.address).toEqual({ ...others, city: 'Bergen' });
    expect((await service.send(path)).text).toBe(answer.text);
  });

  test('PATCH with null for a field that is not nullable: 422 [CONTRACT §4]', async () => {
    const path = await create('/v1/customers', whole);
    const answer = await patch(path, { name: null, metadata: null });
    expect(answer.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/name', '/metadata']);
  });

  test('a metadata key with an escape in JSON, after another key: returned verbatim [CONTRACT §3]', async () => {
    for (const name of ['\\', '\n', '"', '\\n']) {
      const path = await create('/v1/customers', { name: 'x', metadata: { a: '1', [name]: '2' } });
      const { text } = await service.send(path);
      expect(text).toContain(`${JSON.stringify(name)}:"2"`);
    }
  });

  test('PATCH that makes metadata too large: 422, nothing changes [CONTRACT §4]', async () => {
    const pairs = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, 'v']));
    const path = await create('/v1/customers', { name: 'x', metadata: pairs(0, 20) });
    expect(outcome(await patch(path, { metadata: { one: 'more' } }))).toEqual([422, 'validation-failed']);
    expect((await patch(path, { metadata: { k0: null, one: 'more' } })).status).toBe(200);
    expect(Object.keys((await service.send(path)).json.metadata)).toHaveLength(20);
  });

  test('PUT without an optional field: its default; without a required one: 422 [CONTRACT §4]', async () => {
    const path = await create('/v1/customers', whole);
    const answer = await put(path, { name: 'Bea', id: 5, created_at: 'x' });
    expect(answer.json).toMatchObject({ name: 'Bea', email: null, tax_id: null, address: null, metadata: {} });
    expect(answer.json.id).toBe(idOf(path));
    expect((await put(path, {})).json.errors).toEqual([
      expect.objectContaining({ pointer: '/name', code: 'required' }),
    ]);
  });

  test('PUT of an unknown id: 404; a repeated DELETE: 404 [CONTRACT §4]', async () => {
    expect(outcome(await put('/v1/customers/12345', { name: 'x' }))).toEqual([404, 'not-found']);
    const path = await create('/v1/customers', whole);
    expect((await remove(path)).status).toBe(204);
    expect(outcome(await remove(path))).toEqual([404, 'not-found']);
    expect(outcome(await service.send(path))).toEqual([404, 'not-found']);
  });

  test('DELETE of a customer that an invoice names: 409 customer-in-use; once none does: 204 [CONTRACT §4]', async () => {
    const path = await create('/v1/customers', whole);
    const other = await create('/v1/customers', whole);
    const a = await create('/v1/invoices', { customer_id: idOf(path) });
    const b = await create('/v1/invoices', { customer_id: idOf(path) });
    expect(outcome(await remove(path))).toEqual([409, 'customer-in-use']);
    await patch(a, { customer_id: idOf(other) });
    expect(outcome(await remove(path))).toEqual([409, 'customer-in-use']);
    await remove(b);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    expect((await remove(path)).status).toBe(204);
    await put(a, {});
    expect((await remove(other)).status).toBe(204);
  });

  test('DELETE of a customer during POST of its invoice, 20 races: exactly one succeeds [CONTRACT §4]', async () => {
    for (let i = 0; i < 20; i++) {
      const path = await create('/v1/customers', whole);
      const [created, deleted] = await Promise.all([post('/v1/invoices', { customer_id: idOf(path) }), remove(path)]);
      expect([[201, 409].join(), [404, 204].join()]).toContain([created.status, deleted.status].join());
    }
  });
});

describe('invoices', () => {
  test('POST of an empty object: an open invoice of 0 USD [CONTRACT §4]', async () => {
    const { json } = await post('/v1/invoices', {});
    expect(json).toMatchObject({ status: 'open', total_cents: 0, currency: 'USD', customer_id: null, due_date: null });
    expect(json).toMatchObject({ description: null, metadata: {}, amount_paid_cents: 0, amount_due_cents: 0 });
    expect(json).toMatchObject({ paid_at: null, canceled_at: null });
  });

  test('read-only fields in a body: accepted and ignored [CONTRACT §4]', async () => {
    const body = {
      id: 'x',
      amount_paid_cents: -5,
      amount_due_cents: {},
      paid_at: 1,
      canceled_at: [],
      created_at: null,
    };
    const { status, json } = await post('/v1/invoices', { ...body, total_cents: 5 });
    expect([status, json.amount_paid_cents, json.amount_due_cents]).toEqual([201, 0, 5]);
  });

  test('a customer_id that is unknown or of another account: 404; that is not an id: 422 [CONTRACT §2, CONTRACT §12]', async () => {
    const foreign = await service.send('/v1/customers', {
      method: 'POST',
      body: { name: 'x' },
      claims: { account_id: 'acct_2' },
    });
    for (const customer_id of [1, foreign.json.id]) {
      const created = await post('/v1/invoices', { customer_id });
      const patched = await patch(await create('/v1/invoices', {}), { customer_id });
      for (const answer of [created, patched]) {
        expect(outcome(answer)).toEqual([404, 'not-found']);
        expect(answer.json.detail).toBe('No customer has the id in customer_id.');
      }
    }
    for (const customer_id of [0, -1, 1.5, '1', 2 ** 53, {}]) {
      expect((await post('/v1/invoices', { customer_id })).json.errors[0].pointer).toBe('/customer_id');
    }
  });

  test('PATCH from draft to open to paid: accepted, amount_due_cents is then 0 [CONTRACT §4]', async () => {
    const path = await create('/v1/invoices', { status: 'draft', total_cents: 500 });
    expect((await patch(path, { status: 'open' })).json.amount_due_cents).toBe(500);
    const { json } = await patch(path, { status: 'paid' });
    expect(json).toMatchObject({ status: 'paid', amount_due_cents: 0, amount_paid_cents: 0, total_cents: 500 });
    expect(json.paid_at).toBe(json.updated_at);
  });

  test.each([
    ['draft', { status: 'paid' }, 'invalid-transition'],
    ['draft', { status: 'canceled' }, 'invalid-transition'],
    ['open', { status: 'draft' }, 'invalid-transition'],
    ['open', { status: 'canceled' }, 'invalid-transition'],
    ['paid', { description: 'x' }, 'invoice-closed'],
    ['canceled', { description: 'x' }, 'invoice-closed'],
  ])('PATCH of a %s invoice with %j: 422 %s, nothing changes [CONTRACT §4]', async (status, body, code) => {
    const path = await create('/v1/invoices', { status: status === 'draft' ? 'draft' : 'open' });
    if (status === 'paid') await patch(path, { status: 'paid' });
    if (status === 'canceled') await post(`${path}/cancel`);
    const before = await service.send(path);
    const answer = await patch(path, body);
    expect(outcome(answer)).toEqual([422, code]);
    expect(answer.json.errors).toHaveLength(1);
    expect((await service.send(path)).text).toBe(before.text);
    expect(outcome(await put(path, { ...before.json, ...body }))).toEqual([422, code]);
  });

  test('PUT without status: the status stays, other omitted fields get their defaults [CONTRACT §4]', async () => {
    const path = await create('/v1/invoices', { status: 'draft', total_cents: 5, currency: 'EUR', description: 'x' });
    const { json } = await put(path, { due_date: '2026-12-31' });
    expect(json).toMatchObject({
      status: 'draft',
      total_cents: 0,
      currency: 'USD',
      description: null,
      due_date: '2026-12-31',
    });
  });

  test('cancel of a draft, open or canceled invoice: 200 canceled; of a paid one: 409 [CONTRACT §4]', async () => {
    for (const status of ['draft', 'open']) {
      const path = await create('/v1/invoices', { status, total_cents: 9 });
      const first = await post(`${path}/cancel`);
      expect(first.json).toMatchObject({ status: 'canceled', amount_due_cents: 0, canceled_at: first.json.updated_at });
      const again = await post(`${path}/cancel`, {});
      expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
    }
    const path = await create('/v1/invoices', {});
    await patch(path, { status: 'paid' });
    expect(outcome(await post(`${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
  });

  test('cancel without a body, with any Content-Type: 200; with a field: 422 [CONTRACT §12]', async () => {
    const path = await create('/v1/invoices', {});
    const cancel = (sent: object) => service.send(`${path}/cancel`, { method: 'POST', ...sent });
    expect((await cancel({ headers: { 'content-type': 'text/plain' } })).status).toBe(200);
    expect((await cancel({ body: '', headers: { 'content-type': 'application/xml' } })).status).toBe(200);
    expect((await cancel({ body: { status: 'open' } })).json.errors[0].pointer).toBe('/status');
    expect((await cancel({ body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });

  test('DELETE of a draft, open or canceled invoice: 204; of one settled outside: 409 invoice-closed [CONTRACT §4]', async () => {
    for (const status of ['draft', 'open'])
      expect((await remove(await create('/v1/invoices', { status }))).status).toBe(204);
    const canceled = await create('/v1/invoices', {});
    await post(`${canceled}/cancel`);
    expect((await remove(canceled)).status).toBe(204);
    const settled = await create('/v1/invoices', {});
    await patch(settled, { status: 'paid' });
    expect(outcome(await remove(settled))).toEqual([409, 'invoice-closed']);
  });

  test('fields or expand on a write: 422 [CONTRACT §4]', async () => {
    const path = await create('/v1/invoices', {});
    expect((await service.send(`${path}?fields=id`, { method: 'PATCH', body: {} })).status).toBe(422);
    expect((await service.send('/v1/invoices?expand=customer', { method: 'POST', body: {} })).status).toBe(422);
    expect((await service.send(`${path}?expand=customer`, { method: 'DELETE' })).status).toBe(422);
  });
});

describe('v2', () => {
  test('an invoice: money objects instead of X_cents and currency in requests and responses [CONTRACT §4]', async () => {
    const { json, headers } = await post('/v2/invoices', { total: { amount: 1250, currency: 'EUR' } });
    const money = (amount: number) => ({ amount, currency: 'EUR' });
    expect(json).toMatchObject({ total: money(1250), amount_paid: money(0), amount_due: money(1250) });
    for (const name of ['total_cents', 'currency', 'amount_due_cents']) expect(json).not.toHaveProperty(name);
    expect(headers['location']).toBe(`/v2/invoices/${json.id}`);
    expect((await service.send(`/v1/invoices/${json.id}`)).json).toMatchObject({ total_cents: 1250, currency: 'EUR' });
  });

  test.each([
    [{ total_cents: 1 }, '/total_cents'],
    [{ currency: 'EUR' }, '/currency'],
    [{ total: 5 }, '/total'],
    [{ total: {} }, '/total/amount'],
    [{ total: { amount: -1 } }, '/total/amount'],
    [{ total: { amount: 1, currency: 'xxx' } }, '/total/currency'],
    [{ total: { amount: 1, cents: 1 } }, '/total/cents'],
  ])('an invoice with %j: 422 at %s [CONTRACT §4, CONTRACT §12]', async (body, pointer) => {
    const answer = await post('/v2/invoices', body);
    expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
  });

  test('a money object without currency: PATCH keeps the currency, PUT sets the default [CONTRACT §4]', async () => {
    const path = await create('/v2/invoices', { total: { amount: 1, currency: 'EUR' } });
    expect((await patch(path, { total: { amount: 2 } })).json.total).toEqual({ amount: 2, currency: 'EUR' });
    expect((await put(path, { total: { amount: 3 } })).json.total).toEqual({ amount: 3, currency: 'USD' });
  });

  test('page or per_page: 422; limit: 200 [CONTRACT §4]', async () => {
    for (const query of ['page=1', 'per_page=5'])
      expect((await service.send(`/v2/invoices?${query}`)).status).toBe(422);
    expect((await service.send('/v2/invoices?limit=5')).status).toBe(200);
  });
});

describe('fields and expand', () => {
  test('fields on a member or a list, in either version: only the named fields [§4, CONTRACT §6]', async () => {
    const path = await create('/v1/invoices', { total_cents: 7 });
    const id = idOf(path);
    expect((await service.send(`${path}?fields=status,id,status`)).json).toEqual({ id, status: 'open' });
    expect((await service.send(`${path}?fields=amount_due_cents`)).json).toEqual({ amount_due_cents: 7 });
    expect((await service.send(`/v2/invoices/${id}?fields=amount_due`)).json).toEqual({
      amount_due: { amount: 7, currency: 'USD' },
    });
    const list = await service.send('/v1/invoices?fields=id&limit=1');
    expect(Object.keys(list.json.data[0])).toEqual(['id']);
    expect(Object.keys(list.json)).toEqual(['data', 'next_cursor', 'has_more']);
  });

  test('expand=customer: the customer is added regardless of fields, null if there is none [CONTRACT §4, CONTRACT §6]', async () => {
    const customer = await post('/v1/customers', { name: 'Ann' });
    const path = await create('/v1/invoices', { customer_id: customer.json.id });
    expect((await service.send(`${path}?expand=customer,customer`)).json.customer).toEqual(customer.json);
    expect((await service.send(`${path}?fields=id&expand=customer`)).json).toEqual({
      id: idOf(path),
      customer: customer.json,
    });
    const bare = await create('/v1/invoices', {});
    expect((await service.send(`${bare}?expand=customer`)).json.customer).toBeNull();
    expect((await service.send(bare)).json).not.toHaveProperty('customer');
    const list = await service.send('/v1/invoices?expand=customer&limit=100&fields=customer_id');
    for (const row of list.json.data) expect(row.customer?.id ?? null).toBe(row.customer_id);
  });

  test('expand on a resource without relations: 422 [CONTRACT §6]', async () => {
    expect((await service.send('/v1/customers?expand=customer')).status).toBe(422);
  });
});

test('GET /health without a token: 200 [CONTRACT §4]', async () => {
  const answer = await service.send('/health', { headers: { authorization: undefined } });
  expect([answer.status, answer.json]).toEqual([200, { status: 'ok' }]);
});
