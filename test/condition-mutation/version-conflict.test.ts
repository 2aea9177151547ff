import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Interleave, interleave } from '#test/support/faults/interleave.ts';
import { failDelivery, finishExport, moveWebhook } from '#test/support/requests/requests.ts';
import { type Makers, makers, outcome } from '#test/support/service/makers.ts';
import { type Service, startService } from '#test/support/service/service.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';

/* In each test, another request commits between the reads of a handler and its commit, which must then fail. */

let service: Service;
let race: Interleave;
let make: Makers;
beforeAll(async () => {
  service = await startService();
  race = interleave(service.client);
  make = makers(service);
});
afterEach(() => checkInvariants(service));
afterAll(() => service.stop());

const pay = (invoice_id: number, amount_cents: number) =>
  make.send('POST', '/v1/payments', { invoice_id, amount_cents });
const itemized = () => make.invoice({ total_cents: 0 });

describe('a resource that changes between the read and the commit of a request [CONTRACT §7]', () => {
  test.each([
    ['customers', { name: 'Ada', tax_id: 'x' }, { email: 'a@example.com' }, { name: 'Ada' }],
    ['invoices', { description: 'x' }, { due_date: '2027-01-01' }, {}],
  ])(
    'PATCH and PUT of %s after a competing PATCH: applied to the new version',
    async (collection, first, second, whole) => {
      const { path } = await make.create(collection, whole);
      const patched = await race(
        () => make.send('PATCH', path, first),
        () => make.send('PATCH', path, second),
      );
      expect(patched.json).toMatchObject({ ...first, ...second });
      expect(patched.headers['etag']).toBe('"3"');
      const put = await race(
        () => make.send('PATCH', path, { metadata: { by: 'another' } }),
        () => make.send('PUT', path, whole),
      );
      expect([put.status, put.headers['etag'], put.json.metadata]).toEqual([200, '"5"', {}]);
      expect(await make.get(path)).toEqual(put.json);
    },
  );

  test('DELETE with If-Match of a customer that another request patches: 412', async () => {
    const { path } = await make.customer();
    const answer = await race(
      () => make.send('PATCH', path, { name: 'Bea' }),
      () => make.send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
    expect((await make.get(path)).name).toBe('Bea');
  });

  test('cancel of an invoice that another request pays: 409 [CONTRACT §4]', async () => {
    const { id, path } = await make.invoice();
    const answer = await race(
      () => pay(id, 1),
      () => make.send('POST', `${path}/cancel`),
    );
    expect(outcome(answer)).toEqual([409, 'invoice-not-cancelable']);
    expect((await make.get(path)).status).toBe('open');
  });

  test('cancel of an export that its worker completes: 409 [CONTRACT §12]', async () => {
    const { id, path } = await make.export();
    const answer = await race(
      () => finishExport(service, 'acct_1', id),
      () => make.send('POST', `${path}/cancel`),
    );
    expect(outcome(answer)).toEqual([409, 'export-not-cancelable']);
    expect((await make.get(path)).status).toBe('completed');
  });

  test('DELETE of an invoice that another request pays: 409 [CONTRACT §4]', async () => {
    const { id, path } = await make.invoice();
    const answer = await race(
      () => pay(id, 1),
      () => make.send('DELETE', path),
    );
    expect(outcome(answer)).toEqual([409, 'invoice-has-payments']);
    expect((await make.get(path)).amount_paid_cents).toBe(1);
  });

  test('a payment of an invoice that another request deletes: 404, and no payment [CONTRACT §4]', async () => {
    const { id, path } = await make.invoice();
    const answer = await race(
      () => make.send('DELETE', path),
      () => pay(id, 1),
    );
    expect(outcome(answer)).toEqual([404, 'not-found']);
    expect(await make.list(`/v1/payments?invoice_id=${id}`)).toEqual([]);
  });

  test('a payment of an amount that another payment has paid: 422 [CONTRACT §4]', async () => {
    const { id, path } = await make.invoice();
    const answer = await race(
      () => pay(id, 600),
      () => pay(id, 600),
    );
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-due']);
    expect((await make.get(path)).amount_paid_cents).toBe(600);
  });

  test('a refund of an amount that another refund has refunded: 422 [CONTRACT §4]', async () => {
    const { id } = await make.invoice();
    const payment_id = (await pay(id, 1000)).json.id;
    const refund = () => make.send('POST', '/v1/refunds', { payment_id, amount_cents: 600 });
    expect(outcome(await race(refund, refund))).toEqual([422, 'amount-exceeds-refundable']);
    expect((await make.get(`/v1/payments/${payment_id}`)).amount_refunded_cents).toBe(600);
  });
});

describe('a webhook endpoint or a delivery that changes between the read and the commit of a request [CONTRACT §15]', () => {
  const stored = async (id: number) =>
    (await rowsOf(service, 'webhookEndpoints', 'acct_1')).find((row) => row['id'] === id);

  test('PATCH and rotation after a competing PATCH: applied to the new version', async () => {
    const { id, path } = await make.endpoint();
    const patched = await race(
      () => make.send('PATCH', path, { description: 'Bookkeeping' }),
      () => make.send('PATCH', path, { status: 'disabled' }),
    );
    expect(patched.json).toMatchObject({ description: 'Bookkeeping', status: 'disabled' });
    expect(patched.headers['etag']).toBe('"3"');
    const rotated = await race(
      () => make.send('POST', `${path}/rotate-secret`),
      () => make.send('POST', `${path}/rotate-secret`),
    );
    expect(rotated.headers['etag']).toBe('"5"');
    expect((await stored(id))?.['secrets']).toHaveLength(3);
  });

  test('DELETE with If-Match of an endpoint that another request patches: 412', async () => {
    const { path } = await make.endpoint();
    const answer = await race(
      () => make.send('PATCH', path, { description: 'x' }),
      () => make.send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
  });

  test('PATCH of the URL after a failure of the old URL: the endpoint has no failures', async () => {
    const { id, path } = await make.endpoint();
    const failure = { failures: 1, failing_since: Date.now() };
    const answer = await race(
      () => moveWebhook(service, 'acct_1', id, failure),
      () => make.send('PATCH', path, { url: 'https://example.com/new' }),
    );
    expect([answer.status, await stored(id)]).toEqual([
      200,
      expect.objectContaining({ failures: 0, failing_since: 0 }),
    ]);
  });

  test('a rewind after a competing rewind to an earlier event: 429, and the position of the competing rewind stays', async () => {
    await make.get('/v1/events');
    const { id, path } = await make.endpoint();
    const position = Number((await stored(id))?.['position']);
    expect(position).toBeGreaterThan(2);
    const rewind = (sequence: number) => make.send('POST', `${path}/rewind`, { sequence });
    const answer = await race(
      () => rewind(1),
      () => rewind(2),
    );
    expect(outcome(answer)).toEqual([429, 'too-many-requests']);
    expect(await stored(id)).toMatchObject({ position: 1 });
  });

  test('a rewind with If-Match of an endpoint that another request patches: 412', async () => {
    const { path } = await make.endpoint();
    const answer = await race(
      () => make.send('PATCH', path, { description: 'x' }),
      () => make.send('POST', `${path}/rewind`, { sequence: 0 }, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
  });

  test('a test of an endpoint that another request deletes: 404', async () => {
    const { path } = await make.endpoint();
    const answer = await race(
      () => make.send('DELETE', path),
      () => make.send('POST', `${path}/test`),
    );
    expect(outcome(answer)).toEqual([404, 'not-found']);
  });

  const failedDelivery = async () => {
    const { path } = await make.endpoint();
    const { json } = await make.send('POST', `${path}/test`);
    await failDelivery(service, 'acct_1', json.id);
    return { path, retry: () => make.send('POST', `/v1/webhook-deliveries/${json.id}/retry`) };
  };

  test('a retry after a competing retry: 409', async () => {
    const { retry } = await failedDelivery();
    expect(outcome(await race(retry, retry))).toEqual([409, 'delivery-not-retryable']);
  });

  test('a retry while another request disables the endpoint: 409', async () => {
    const { path, retry } = await failedDelivery();
    const answer = await race(() => make.send('PATCH', path, { status: 'disabled' }), retry);
    expect(outcome(answer)).toEqual([409, 'delivery-not-retryable']);
  });
});

describe('items and their invoice change together [CONTRACT §4]', () => {
  test('POST of an item while another is created: the total is the sum', async () => {
    const { id, path } = await itemized();
    await race(
      () => make.item(id, 1),
      () => make.item(id, 10),
    );
    expect((await make.get(path)).total_cents).toBe(11);
  });

  test('DELETE of an item while another is created: the total is the sum', async () => {
    const { id, path } = await itemized();
    const { path: gone } = await make.item(id, 1);
    const answer = await race(
      () => make.item(id, 10),
      () => make.send('DELETE', gone),
    );
    expect([answer.status, (await make.get(path)).total_cents]).toEqual([204, 10]);
  });

  test('DELETE with If-Match of an item that another request patches: 412 [CONTRACT §7]', async () => {
    const { path } = await make.item((await itemized()).id);
    const answer = await race(
      () => make.send('PATCH', path, { description: 'Other work' }),
      () => make.send('DELETE', path, undefined, { 'if-match': '"1"' }),
    );
    expect(outcome(answer)).toEqual([412, 'precondition-failed']);
    expect((await make.get(path)).description).toBe('Other work');
  });

  const changes = (invoice_id: number) => ({
    PATCH: (change: object) => change,
    PUT: (change: object) => ({ invoice_id, description: 'Work', unit_amount_cents: 100, ...change }),
  });

  describe.each(['PATCH', 'PUT'] as const)('%s of an item', (method) => {
    const prepared = async () => {
      const owner = await itemized();
      const { path } = await make.item(owner.id);
      const change = (body: object) => make.send(method, path, changes(owner.id)[method](body));
      return { owner, path, change };
    };

    test('after a competing PATCH: applied to the new version [CONTRACT §7]', async () => {
      const { path, change } = await prepared();
      const answer = await race(
        () => make.send('PATCH', path, { description: 'Other work' }),
        () => change({ description: 'Much work' }),
      );
      expect([answer.status, answer.headers['etag'], answer.json.description]).toEqual([200, '"3"', 'Much work']);
    });

    test('while another item is created: the total is the sum', async () => {
      const { owner, change } = await prepared();
      const answer = await race(
        () => make.item(owner.id, 1),
        () => change({ quantity: 2 }),
      );
      expect([answer.status, (await make.get(owner.path)).total_cents]).toEqual([200, 201]);
    });

    test('that does not change the total, while the invoice is canceled: 422', async () => {
      const { owner, path, change } = await prepared();
      const answer = await race(
        () => make.send('POST', `${owner.path}/cancel`),
        () => change({ description: 'Much work' }),
      );
      expect(outcome(answer)).toEqual([422, 'invoice-closed']);
      expect((await make.get(path)).description).toBe('Work');
    });
  });
});
