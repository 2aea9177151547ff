import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Interleave, interleave } from '#test/support/interleave.ts';
import { checkInvariants, rowsOf } from '#test/support/invariants.ts';
import { failDelivery, finishExport, moveWebhook } from '#test/support/requests.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';

/* In each test, another request commits between the reads of a handler and its commit, which must then fail. */

let service: Service;
let race: Interleave;
beforeAll(async () => {
  service = await startService();
  race = interleave(service.client);
});
afterEach(() => checkInvariants(service));
afterAll(() => service.stop());

const send = (method: string, target: string, body?: object, headers = {}): Promise<Answer> => {
  const key = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
  return service.send(target, { method, ...(body && { body }), headers: { ...key, ...headers } });
};
const create = async (collection: string, body: object): Promise<{ id: number; path: string }> => {
  const { json, headers } = await send('POST', `/v1/${collection}`, body);
  return { id: json.id, path: headers['location'] as string };
};
const customer = () => create('customers', { name: 'Ada' });
const invoice = (body: object = { total_cents: 1000 }) => create('invoices', body);
const item = (invoice_id: number, unit_amount_cents = 100) =>
  create('invoice-items', { invoice_id, description: 'Work', unit_amount_cents });
const pay = (invoice_id: number, amount_cents: number) => send('POST', '/v1/payments', { invoice_id, amount_cents });
const get = async (path: string) => (await service.send(path)).json;
const outcome = ({ status, json }: Answer) => [status, json?.code];

describe('a resource that changes between the read and the commit of a request [CONTRACT §7]', () => {
  test.each([
    ['customers', { name: 'Ada', tax_id: 'x' }, { email: 'a@example.com' }, { name: 'Ada' }],
    ['invoices', { description: 'x' }, { due_date: '2027-01-01' }, {}],
  ])(
    'PATCH and PUT of %s after a competing PATCH: applied to the new version',
    async (collection, first, second, whole) => {
      const { path } = await create(collection, whole);
      const patched = await race(
        () => send('PATCH', path, first),
        () => send('PATCH', path, second),
      );
      expect(patched.json).toMatchObject({ ...first, ...second });
      expect(patched.headers['etag']).toBe('"3"');
      const put = await race(
        () => send('PATCH', path, { metadata: { by: 'another' } }),
        () => send('PUT', path, whole),
      );
      expect([put.status, put.headers['etag'], put.json.metadata]).toEqual([200, '"5"', {}]);
      expect(await get(path)).toEqual(put.json);
    },
  );

  test('DELETE with If-Match of a customer that another request patches: 412', async () => {
    const { path } = await customer();
    const answer = await race(
      () => send('PATCH', path, { name: 'Bea' }),
      () => send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
    expect((await get(path)).name).toBe('Bea');
  });

  test('cancel of an invoice that another request pays: 409 [CONTRACT §4]', async () => {
    const { id, path } = await invoice();
    const answer = await race(
      () => pay(id, 1),
      () => send('POST', `${path}/cancel`),
    );
    expect(outcome(answer)).toEqual([409, 'invoice-not-cancelable']);
    expect((await get(path)).status).toBe('open');
  });

  test('cancel of an export that its worker completes: 409 [CONTRACT §12]', async () => {
    const { id, path } = await create('exports', { type: 'customers', format: 'jsonl' });
    const answer = await race(
      () => finishExport(service, 'acct_1', id),
      () => send('POST', `${path}/cancel`),
    );
    expect(outcome(answer)).toEqual([409, 'export-not-cancelable']);
    expect((await get(path)).status).toBe('completed');
  });

  test('DELETE of an invoice that another request pays: 409 [CONTRACT §4]', async () => {
    const { id, path } = await invoice();
    const answer = await race(
      () => pay(id, 1),
      () => send('DELETE', path),
    );
    expect(outcome(answer)).toEqual([409, 'invoice-has-payments']);
    expect((await get(path)).amount_paid_cents).toBe(1);
  });

  test('a payment of an amount that another payment has paid: 422 [CONTRACT §4]', async () => {
    const { id, path } = await invoice();
    const answer = await race(
      () => pay(id, 600),
      () => pay(id, 600),
    );
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-due']);
    expect((await get(path)).amount_paid_cents).toBe(600);
  });

  test('a refund of an amount that another refund has refunded: 422 [CONTRACT §4]', async () => {
    const { id } = await invoice();
    const payment_id = (await pay(id, 1000)).json.id;
    const refund = () => send('POST', '/v1/refunds', { payment_id, amount_cents: 600 });
    expect(outcome(await race(refund, refund))).toEqual([422, 'amount-exceeds-refundable']);
    expect((await get(`/v1/payments/${payment_id}`)).amount_refunded_cents).toBe(600);
  });
});

describe('a webhook endpoint or a delivery that changes between the read and the commit of a request [CONTRACT §15]', () => {
  const webhook = () => create('webhook-endpoints', { url: 'https://example.com/hooks' });
  const stored = async (id: number) =>
    (await rowsOf(service, 'webhookEndpoints', 'acct_1')).find((row) => row['id'] === id);

  test('PATCH and rotation after a competing PATCH: applied to the new version', async () => {
    const { id, path } = await webhook();
    const patched = await race(
      () => send('PATCH', path, { description: 'Bookkeeping' }),
      () => send('PATCH', path, { status: 'disabled' }),
    );
    expect(patched.json).toMatchObject({ description: 'Bookkeeping', status: 'disabled' });
    expect(patched.headers['etag']).toBe('"3"');
    const rotated = await race(
      () => send('POST', `${path}/rotate-secret`),
      () => send('POST', `${path}/rotate-secret`),
    );
    expect(rotated.headers['etag']).toBe('"5"');
    expect((await stored(id))?.['secrets']).toHaveLength(3);
  });

  test('DELETE with If-Match of an endpoint that another request patches: 412', async () => {
    const { path } = await webhook();
    const answer = await race(
      () => send('PATCH', path, { description: 'x' }),
      () => send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
  });

  test('PATCH of the URL after a failure of the old one: a clean record', async () => {
    const { id, path } = await webhook();
    const failure = { failures: 1, failing_since: Date.now() };
    const answer = await race(
      () => moveWebhook(service, 'acct_1', id, failure),
      () => send('PATCH', path, { url: 'https://example.com/new' }),
    );
    expect([answer.status, await stored(id)]).toEqual([
      200,
      expect.objectContaining({ failures: 0, failing_since: 0 }),
    ]);
  });

  test('a rewind after a competing one to an earlier event: 429, and the earlier one stays', async () => {
    await get('/v1/events');
    const { id, path } = await webhook();
    const position = Number((await stored(id))?.['position']);
    expect(position).toBeGreaterThan(2);
    const rewind = (sequence: number) => send('POST', `${path}/rewind`, { sequence });
    const answer = await race(
      () => rewind(1),
      () => rewind(2),
    );
    expect(outcome(answer)).toEqual([429, 'too-many-requests']);
    expect(await stored(id)).toMatchObject({ position: 1 });
  });

  test('a rewind with If-Match of an endpoint that another request patches: 412', async () => {
    const { path } = await webhook();
    const answer = await race(
      () => send('PATCH', path, { description: 'x' }),
      () => send('POST', `${path}/rewind`, { sequence: 0 }, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
  });

  test('a test of an endpoint that another request deletes: 404', async () => {
    const { path } = await webhook();
    const answer = await race(
      () => send('DELETE', path),
      () => send('POST', `${path}/test`),
    );
    expect(outcome(answer)).toEqual([404, 'not-found']);
  });

  const failedDelivery = async () => {
    const { path } = await webhook();
    const { json } = await send('POST', `${path}/test`);
    await failDelivery(service, 'acct_1', json.id);
    return { path, retry: () => send('POST', `/v1/webhook-deliveries/${json.id}/retry`) };
  };

  test('a retry after a competing one: 409', async () => {
    const { retry } = await failedDelivery();
    expect(outcome(await race(retry, retry))).toEqual([409, 'delivery-not-retryable']);
  });

  test('a retry while another request disables the endpoint: 409', async () => {
    const { path, retry } = await failedDelivery();
    const answer = await race(() => send('PATCH', path, { status: 'disabled' }), retry);
    expect(outcome(answer)).toEqual([409, 'delivery-not-retryable']);
  });
});

describe('items and their invoice change together [CONTRACT §4]', () => {
  test('POST of an item while another is created: the total is the sum', async () => {
    const { id, path } = await invoice({});
    await race(
      () => item(id, 1),
      () => item(id, 10),
    );
    expect((await get(path)).total_cents).toBe(11);
  });

  test('DELETE of an item while another is created: the total is the sum', async () => {
    const { id, path } = await invoice({});
    const { path: gone } = await item(id, 1);
    const answer = await race(
      () => item(id, 10),
      () => send('DELETE', gone),
    );
    expect([answer.status, (await get(path)).total_cents]).toEqual([204, 10]);
  });

  test('DELETE with If-Match of an item that another request patches: 412 [CONTRACT §7]', async () => {
    const { path } = await item((await invoice({})).id);
    const answer = await race(
      () => send('PATCH', path, { description: 'Other work' }),
      () => send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
    expect((await get(path)).description).toBe('Other work');
  });

  const changes = (invoice_id: number) => ({
    PATCH: (change: object) => change,
    PUT: (change: object) => ({ invoice_id, description: 'Work', unit_amount_cents: 100, ...change }),
  });

  describe.each(['PATCH', 'PUT'] as const)('%s of an item', (method) => {
    const prepared = async () => {
      const owner = await invoice({});
      const { path } = await item(owner.id);
      const change = (body: object) => send(method, path, changes(owner.id)[method](body));
      return { owner, path, change };
    };

    test('after a competing PATCH: applied to the new version [CONTRACT §7]', async () => {
      const { path, change } = await prepared();
      const answer = await race(
        () => send('PATCH', path, { description: 'Other work' }),
        () => change({ description: 'Much work' }),
      );
      expect([answer.status, answer.headers['etag'], answer.json.description]).toEqual([200, '"3"', 'Much work']);
    });

    test('while another item is created: the total is the sum', async () => {
      const { owner, change } = await prepared();
      const answer = await race(
        () => item(owner.id, 1),
        () => change({ quantity: 2 }),
      );
      expect([answer.status, (await get(owner.path)).total_cents]).toEqual([200, 201]);
    });

    test('that does not change the total, while the invoice is canceled: 422', async () => {
      const { owner, path, change } = await prepared();
      const answer = await race(
        () => send('POST', `${owner.path}/cancel`),
        () => change({ description: 'Much work' }),
      );
      expect(outcome(answer)).toEqual([422, 'invoice-closed']);
      expect((await get(path)).description).toBe('Work');
    });
  });
});
