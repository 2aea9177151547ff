import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkInvariants, scan } from '#test/support/invariants.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const send = (method: string, target: string, body?: object, headers = {}) =>
  service.send(target, { method, headers, ...(body && { body }) });
const invoice = async (body: object = {}): Promise<number> => (await send('POST', '/v1/invoices', body)).json.id;
const add = (invoice_id: number, unit_amount_cents: number, more: object = {}) =>
  send('POST', '/v1/invoice-items', { invoice_id, description: 'Work', unit_amount_cents, ...more });
const total = async (id: number) => (await service.send(`/v1/invoices/${id}`)).json.total_cents;
const outcome = ({ status, json }: Answer) => [status, json?.code];
const pointers = ({ json }: Answer) => json.errors.map(({ pointer }: { pointer: string }) => pointer);

describe('an itemized invoice', () => {
  test('an item is created, changed or deleted: the total is the sum of the items [CONTRACT §4]', async () => {
    const id = await invoice();
    const item = await add(id, 250, { quantity: 4 });
    expect(item.json).toMatchObject({ invoice_id: id, quantity: 4, unit_amount_cents: 250, amount_cents: 1000 });
    expect(item.headers['location']).toBe(`/v1/invoice-items/${item.json.id}`);
    const second = await add(id, 7);
    expect(await total(id)).toBe(1007);
    const path = item.headers['location'] as string;
    expect((await send('PATCH', path, { quantity: 2 })).json).toMatchObject({ quantity: 2, amount_cents: 500 });
    expect(await total(id)).toBe(507);
    const replaced = await send('PUT', path, { invoice_id: id, description: 'Other', unit_amount_cents: 1 });
    expect(replaced.json).toMatchObject({ description: 'Other', quantity: 1, amount_cents: 1 });
    expect(await total(id)).toBe(8);
    expect((await send('DELETE', path)).status).toBe(204);
    expect(await total(id)).toBe(7);
    expect((await service.send(`/v1/invoice-items?invoice_id=${id}`)).json.data).toEqual([second.json]);
  });

  test('an item for a flat invoice with a total other than 0: 422 [CONTRACT §4]', async () => {
    expect(outcome(await add(await invoice({ total_cents: 5 }), 5))).toEqual([422, 'validation-failed']);
  });

  test('a total_cents that differs from the sum: 422; the sum itself: no change [CONTRACT §4]', async () => {
    const id = await invoice();
    await add(id, 100);
    const before = await service.send(`/v1/invoices/${id}`);
    const wrong = await send('PATCH', `/v1/invoices/${id}`, { total_cents: 99 });
    expect([...outcome(wrong), ...pointers(wrong)]).toEqual([422, 'validation-failed', '/total_cents']);
    expect((await send('PATCH', `/v1/invoices/${id}`, { total_cents: 100 })).text).toBe(before.text);
    expect((await send('PUT', `/v1/invoices/${id}`, {})).json.total_cents).toBe(100);
    expect((await send('PUT', `/v2/invoices/${id}`, {})).json.total).toEqual({ amount: 100, currency: 'USD' });
  });

  test('its last item is deleted: a new total_cents is accepted [CONTRACT §4]', async () => {
    const id = await invoice();
    const { headers } = await add(id, 100);
    await send('DELETE', headers['location'] as string);
    expect((await send('PATCH', `/v1/invoices/${id}`, { total_cents: 9 })).json.total_cents).toBe(9);
  });

  test.each([
    [{ quantity: 0 }, '/quantity'],
    [{ quantity: 1_000_001 }, '/quantity'],
    [{ unit_amount_cents: -1 }, '/unit_amount_cents'],
    [{ unit_amount_cents: 999_999_999_999, quantity: 2 }, '/unit_amount_cents'],
    [{ description: undefined }, '/description'],
    [{ currency: 'USD' }, '/currency'],
  ])('an item with %j: 422 at %s [CONTRACT §4]', async (more, pointer) => {
    const answer = await add(await invoice(), 1, more);
    expect([answer.status, ...pointers(answer)]).toEqual([422, pointer]);
  });

  test('PATCH or PUT of an item with another invoice_id: 422 [CONTRACT §4]', async () => {
    const [a, b] = [await invoice(), await invoice()];
    const { headers } = await add(a, 1);
    const path = headers['location'] as string;
    expect(pointers(await send('PATCH', path, { invoice_id: b }))).toEqual(['/invoice_id']);
    expect((await send('PATCH', path, { invoice_id: a })).status).toBe(200);
    const put = await send('PUT', path, { invoice_id: b, description: 'x', unit_amount_cents: 1 });
    expect(pointers(put)).toEqual(['/invoice_id']);
  });

  test('a write to items, closed invoice: 422; with payments: 409; draft: accepted [CONTRACT §4, CONTRACT §12]', async () => {
    const change = async (id: number, path: string) => [
      outcome(await add(id, 1)),
      outcome(await send('PATCH', path, { quantity: 3 })),
      outcome(await send('PUT', path, { invoice_id: id, description: 'x', unit_amount_cents: 1 })),
      outcome(await send('DELETE', path)),
    ];
    const make = async (status: string) => {
      const id = await invoice({ status });
      return { id, path: (await add(id, 100)).headers['location'] as string };
    };
    const paid = await make('open');
    await send('PATCH', `/v1/invoices/${paid.id}`, { status: 'paid' });
    expect(await change(paid.id, paid.path)).toEqual(Array(4).fill([422, 'invoice-closed']));
    const canceled = await make('draft');
    await send('POST', `/v1/invoices/${canceled.id}/cancel`);
    expect(await change(canceled.id, canceled.path)).toEqual(Array(4).fill([422, 'invoice-closed']));
    const partly = await make('open');
    const key = { 'idempotency-key': crypto.randomUUID() };
    await send('POST', '/v1/payments', { invoice_id: partly.id, amount_cents: 1 }, key);
    expect(await change(partly.id, partly.path)).toEqual(Array(4).fill([409, 'invoice-has-payments']));
    const draft = await make('draft');
    expect((await change(draft.id, draft.path)).map(([status]) => status)).toEqual([201, 200, 200, 204]);
  });

  test('v2 amounts of an item: money in the currency of the invoice, another is 422 [CONTRACT §4, CONTRACT §12]', async () => {
    const id = await invoice({ currency: 'EUR' });
    const body = { invoice_id: id, description: 'x', unit_amount: { amount: 5 } };
    const { json } = await send('POST', '/v2/invoice-items', body);
    expect(json).toMatchObject({ unit_amount: { amount: 5, currency: 'EUR' }, amount: { amount: 5, currency: 'EUR' } });
    const wrong = await send('POST', '/v2/invoice-items', { ...body, unit_amount: { amount: 5, currency: 'USD' } });
    expect(pointers(wrong)).toEqual(['/unit_amount/currency']);
    const amount = { amount: 5, currency: 'EUR' };
    expect((await service.send(`/v2/invoice-items/${json.id}?fields=amount`)).json).toEqual({ amount });
    expect((await service.send('/v2/invoice-items?fields=amount,id')).json.data).toContainEqual({
      id: json.id,
      amount,
    });
    const path = `/v2/invoice-items/${json.id}`;
    const patched = await send('PATCH', path, { unit_amount: { amount: 6, currency: 'SEK' } });
    expect([patched.status, ...pointers(patched)]).toEqual([422, '/unit_amount/currency']);
    const put = await send('PUT', path, { ...body, unit_amount: { amount: 6, currency: 'EUR' } });
    expect(put.json.amount).toEqual({ amount: 6, currency: 'EUR' });
  });

  test.each([
    ['PATCH', '/v1', { currency: 'SEK' }, '/currency'],
    ['PUT', '/v1', { currency: 'SEK' }, '/currency'],
    ['PATCH', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
    ['PUT', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
  ])(
    '%s %s of the currency: 422 currency-locked with items, 200 without items [CONTRACT §4]',
    async (method, version, change, pointer) => {
      const id = await invoice({ currency: 'EUR' });
      const { headers } = await add(id, 5);
      const path = `${version}/invoices/${id}`;
      const tag = (await service.send(headers['location'] as string)).headers['etag'];
      const locked = await send(method, path, change);
      expect([...outcome(locked), ...pointers(locked)]).toEqual([422, 'currency-locked', pointer]);
      expect(locked.json.detail).toBe('The currency stays EUR: the invoice has items.');
      const item = await service.send((headers['location'] as string).replace('/v1', '/v2'));
      expect([item.json.amount.currency, item.headers['etag']]).toEqual(['EUR', tag]);
      await send('DELETE', headers['location'] as string);
      expect((await send(method, path, change)).status).toBe(200);
    },
  );

  test('20 items created at the same time: all count [CONTRACT §4]', async () => {
    const id = await invoice();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => add(id, i + 1)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await total(id)).toBe(210);
  });
});

describe('at most 95 items per invoice', () => {
  test('item 96: 422 at /invoice_id; DELETE of the invoice: one transaction with 95 items [CONTRACT §4]', async () => {
    const { json: customer } = await send('POST', '/v1/customers', { name: 'Ada' });
    const id = await invoice({ currency: 'EUR', customer_id: customer.id });
    for (let i = 0; i < 95; i++) await add(id, 1);
    const refused = await add(id, 1);
    expect([...outcome(refused), ...pointers(refused)]).toEqual([422, 'validation-failed', '/invoice_id']);
    expect(await total(id)).toBe(95);
    const of = async () => (await scan(service, 'items')).filter((item) => item['invoice_id'] === id);
    expect(await of()).toHaveLength(95);
    const { headers } = await service.send(`/v1/invoices/${id}`);
    expect((await send('DELETE', `/v1/invoices/${id}`, undefined, { 'if-match': '"1"' })).status).toBe(412);
    const sizes: number[] = [];
    service.client.middlewareStack.add(
      (next) => (call) => {
        const { TransactItems = [] } = call.input as { TransactItems?: object[] };
        if (TransactItems.length > 0) sizes.push(TransactItems.length);
        return next(call);
      },
      { step: 'initialize', name: 'sizes' },
    );
    const gone = await send('DELETE', `/v1/invoices/${id}`, undefined, { 'if-match': headers['etag'] });
    service.client.middlewareStack.remove('sizes');
    expect([gone.status, sizes]).toEqual([204, [99]]);
    expect(await of()).toEqual([]);
  }, 60_000);

  test('DELETE of a canceled invoice: its items are deleted, too [CONTRACT §4]', async () => {
    const id = await invoice();
    const { headers } = await add(id, 1);
    await send('POST', `/v1/invoices/${id}/cancel`);
    expect((await send('DELETE', `/v1/invoices/${id}`)).status).toBe(204);
    expect((await service.send(headers['location'] as string)).status).toBe(404);
  });
});
