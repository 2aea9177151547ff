import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Answer, Caller, Service } from '#test/support/service/client.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { created, createInvoice, idOf, outcome, patch, pay, post, remove, totalOf } from '../support/requests.ts';

const service = await openService();

const send = (service: Service, key: string | undefined, body: unknown = {}, path = '/v1/invoices', as: Caller = {}) =>
  service.send(path, {
    ...{ method: 'POST', body, as },
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
  });

const expectReplay = (replay: Answer, first: Answer) => {
  expect([replay.status, replay.text]).toEqual([first.status, first.text]);
  expect(replay.headers['idempotent-replayed']).toBe('true');
  for (const name of ['location', 'etag', 'content-type']) expect(replay.headers[name]).toBe(first.headers[name]);
};

/** Sends a request twice under a new key. */
const sendTwice = async (service: Service, body: unknown, path?: string): Promise<Answer> => {
  const key = randomUUID();
  const first = await send(service, key, body, path);
  expect(first.status).toBe(201);
  expectReplay(await send(service, key, body, path), first);
  return first;
};

const expectNew = (answer: Answer, first: Answer) => {
  expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, undefined]);
  expect(answer.json.id).not.toBe(first.json.id);
};

const MALFORMED = ['', 'abc', '123', `"${randomUUID()}`, `{${randomUUID()}}`, `${randomUUID()}, ${randomUUID()}`];

describe('Idempotency', () => {
  test('the same key and body: the original response, no second effect [§4]', async () => {
    const before = await totalOf(service, '/invoices');
    const key = randomUUID();
    const first = await send(service, key, { description: 'once' });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expectReplay(await send(service, key, { description: 'once' }), first);
    await remove(service, first.headers['location'] as string);
    expectReplay(await send(service, key, { description: 'once' }), first);
    expect(await totalOf(service, '/invoices')).toBe(before);
  });

  test('a changed resource: the replay has its first state and ETag [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await send(service, key);
    await patch(service, first.headers['location'] as string, { description: 'x' });
    expectReplay(await send(service, key), first);
  });

  test('a payment repeated under its key: one payment [§4]', async () => {
    const invoice_id = await createInvoice(service);
    await sendTwice(service, { invoice_id, amount_cents: 600 }, '/v1/payments');
    expect((await service.send(`/v1/invoices/${invoice_id}`)).json.amount_paid_cents).toBe(600);
  });

  test('a refund repeated under its key: one refund [§4]', async () => {
    const { json } = await pay(service, await createInvoice(service), 600);
    await sendTwice(service, { payment_id: json.id, amount_cents: 200 }, '/v1/refunds');
    expect((await service.send(`/v1/payments/${json.id}`)).json.amount_refunded_cents).toBe(200);
  });

  test('a body with another order or white space, or a quoted key: a replay [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await send(service, key, '{"total_cents":100,"description":"a\\u0062"}');
    const same = ' { "description" : "ab", "total_cents" : 1e2 } ';
    expectReplay(await send(service, `"${key.toUpperCase()}"`, same), first);
  });

  test('a different key with the same body: a new operation [§4]', async () => {
    expectNew(await send(service, randomUUID()), await send(service, randomUUID()));
  });

  test('the same key with another body: 422, and the original still replays [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await send(service, key, { total_cents: 1 });
    const before = await totalOf(service, '/invoices');
    const other = await send(service, key, { total_cents: 2 });
    expect(outcome(other)).toEqual([422, 'idempotency-key-reused']);
    expect(other.json.errors).toEqual([expect.objectContaining({ header: 'Idempotency-Key' })]);
    expectReplay(await send(service, key, { total_cents: 1 }), first);
    expect(await totalOf(service, '/invoices')).toBe(before);
  });

  test('a large body: the replay is the same, byte for byte [CONTRACT §8]', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '\u{1F600}'.repeat(500)]));
    await sendTwice(service, { metadata, description: 'é'.repeat(1000) });
  });

  test('a cancel repeated under its key: a replay; under a new key: nothing changes [CONTRACT §8]', async () => {
    const path = await created(service, 'invoices');
    const key = randomUUID();
    const cancel = () => service.send(`${path}/cancel`, { method: 'POST', headers: { 'idempotency-key': key } });
    const first = await cancel();
    expect([first.status, first.json.status]).toEqual([200, 'canceled']);
    expectReplay(await cancel(), first);
    const again = await post(service, `${path}/cancel`);
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, undefined]);
    expectReplay(await send(service, key, {}, `${path}/cancel`), first);
  });

  for (const [i, key] of MALFORMED.entries()) {
    test(`malformed key ${i + 1}, of ${key.length} characters: 400 [CONTRACT §8]`, async () => {
      expect(outcome(await send(service, key))).toEqual([400, 'invalid-idempotency-key']);
    });
  }

  testWith('otherAccount')(
    'the same key in another account, version or path: a new operation [CONTRACT §8]',
    async () => {
      const key = randomUUID();
      const body = { name: 'x' };
      const first = await send(service, key, body, '/v1/customers');
      expectNew(await send(service, key, body, '/v2/customers'), first);
      expectNew(await send(service, key, body, '/v1/customers', { account: 'other' }), first);
      expectNew(await send(service, key, {}, '/v1/invoices'), first);
    },
  );

  test('the same key from another user of the account: a replay [CONTRACT §8]', async () => {
    const key = randomUUID();
    const first = await send(service, key);
    expectReplay(await send(service, key, {}, '/v1/invoices', { sub: 'user_2' }), first);
  });

  for (const [condition, needs, as, expected] of [
    ['without the scope: 403', [], { scope: 'invoices:read' }, [403, 'insufficient-scope']],
    ['with an expired token: 401', ['claims'], { seconds: -60 }, [401, 'unauthenticated']],
  ] as const) {
    testWith(...needs)(`a repeat ${condition} instead of a replay [CONTRACT §8]`, async () => {
      const key = randomUUID();
      await send(service, key);
      expect(outcome(await send(service, key, {}, '/v1/invoices', as))).toEqual(expected);
    });
  }

  test('a rejected request: the key may be used again [CONTRACT §8]', async () => {
    const key = randomUUID();
    expect((await send(service, key, { total_cents: -1 })).status).toBe(422);
    expect((await send(service, key, { customer_id: 1 })).status).toBe(404);
    expect((await send(service, key, { total_cents: 1 })).status).toBe(201);
  });

  test('a payment that a state rule refused: the key may be used again [CONTRACT §8]', async () => {
    const invoice_id = await createInvoice(service, { total_cents: 5 });
    const key = randomUUID();
    const ask = (amount_cents: number) => send(service, key, { invoice_id, amount_cents }, '/v1/payments');
    expect(outcome(await ask(6))).toEqual([422, 'amount-exceeds-due']);
    expect((await ask(5)).status).toBe(201);
  });

  test('a key on GET, PATCH or DELETE: ignored [CONTRACT §12]', async () => {
    const path = await created(service, 'invoices');
    const headers = { 'idempotency-key': 'nonsense' };
    expect((await service.send(path, { headers })).status).toBe(200);
    expect((await patch(service, path, {}, { headers })).status).toBe(200);
    expect((await remove(service, path, { headers })).status).toBe(204);
  });

  test('a repeat that would now be 404: replays the stored response [CONTRACT §12]', async () => {
    const customer = await created(service, 'customers', { name: 'x' });
    const body = { customer_id: idOf(customer) };
    const key = randomUUID();
    const first = await send(service, key, body);
    await remove(service, first.headers['location'] as string);
    await remove(service, customer);
    expectReplay(await send(service, key, body), first);
    expect((await send(service, key, { customer_id: 1 })).json.code).toBe('idempotency-key-reused');
  });

  test('a repeat that would now be 412 or 404: replays the stored response [CONTRACT §12]', async () => {
    const path = await created(service, 'invoices');
    const headers = { 'idempotency-key': randomUUID(), 'if-match': '"1"' };
    const cancel = () => service.send(`${path}/cancel`, { method: 'POST', headers });
    const first = await cancel();
    expectReplay(await cancel(), first);
    await remove(service, path);
    expectReplay(await cancel(), first);
  });

  test('a repeat that a state rule would now refuse: replays the stored response [CONTRACT §12]', async () => {
    const invoice_id = await createInvoice(service, { total_cents: 5 });
    const key = randomUUID();
    const ask = (amount_cents: number) => send(service, key, { invoice_id, amount_cents }, '/v1/payments');
    const first = await ask(5);
    expectReplay(await ask(5), first);
    expect(outcome(await ask(4))).toEqual([422, 'idempotency-key-reused']);
  });

  test('a repeat with a malformed or an invalid body: 400 or 422 of that body [CONTRACT §12]', async () => {
    const key = randomUUID();
    await send(service, key);
    expect(outcome(await send(service, key, '{'))).toEqual([400, 'malformed-json']);
    expect(outcome(await send(service, key, { total_cents: -1 }))).toEqual([422, 'validation-failed']);
  });
});
