import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { operations } from '#test/support/requests/requests.ts';
import type { Answer, Caller } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { CSV, complete } from '../exports/completed-export.ts';
import { newSeries } from '../numbers/series.ts';
import { idMakers } from '../support/id-makers.ts';
import {
  addItem,
  created,
  createInvoice,
  idOf,
  JSON_TYPE,
  outcome,
  patch,
  pay,
  post,
  put,
  refund,
  remove,
  totalOf,
} from '../support/requests.ts';

const service = await openService();

const create = (service: Service, body: object = {}) => created(service, 'invoices', body);

const patchIf = (service: Service, path: string, tag: string, body: object = { description: 'x' }) =>
  patch(service, path, body, { headers: { 'if-match': tag } });

/** Values of `If-None-Match` for a response with the ETag "1". */
const NOT_MODIFIED = [
  ...['"1"', 'W/"1"', '*', ' "1" ', '"1-gzip"', 'W/"1-br"', '"0", "1"', '"0" , W/"1"', ',"1",', '"2", "1-zstd"'],
];

const MODIFIED = ['"2"', '"11"', '1', '', 'W/"2"', '"1-1"', '"11-gzip"', '"1-gzipped"', '"1-GZIP"'];

const MATCHING = ['"1"', 'W/"1"', '"7", "1"', '*', ' * ', '"1-5"', '"1-gzip"', '"a,b", "1"', ', "0",, "1" ,'];

const STALE = ['"0"', '"2"', '"11"', '"01"', '""', '"7", "8"', '"2-1"', '"11-gzip"'];

const MALFORMED = [
  ...['1', '"1', '1"', "'1'", 'x', '', ' , ,', '"1" "2"', '"1"; "4"', '"1"x', '"a b"', '"x,"1"'],
  ...['w/"1"', 'W"1"', 'W/ "1"', '*, "1"', '"1", *', '**'],
];

describe('Conditional requests', () => {
  test('each write that changes an invoice: its ETag is the next version [CONTRACT §7]', async () => {
    const path = await create(service);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    expect((await patch(service, path, { description: 'x' })).headers['etag']).toBe('"2"');
    expect((await put(service, path, {})).headers['etag']).toBe('"3"');
    expect((await post(service, `${path}/cancel`)).headers['etag']).toBe('"4"');
    expect((await service.send(`${path}?fields=id`)).headers['etag']).toBe('"4"');
    expect((await service.send(path.replace('v1', 'v2'))).headers['etag']).toBe('"4"');
  });

  test('a payment: the next ETag of its invoice; a refund: the next ETag of its payment [CONTRACT §7]', async () => {
    const path = await create(service, { total_cents: 9 });
    const { json } = await pay(service, idOf(path), 5);
    expect((await service.send(path)).headers['etag']).toBe('"2"');
    await refund(service, json.id, 1);
    expect((await service.send(`/v1/payments/${json.id}`)).headers['etag']).toBe('"2"');
    expect((await service.send(path)).headers['etag']).toBe('"2"');
  });

  test('expand=customer: the ETag has both versions and changes with either [CONTRACT §7]', async () => {
    const customer = await created(service, 'customers', { name: 'Ann' });
    const path = await create(service, { customer_id: idOf(customer) });
    const tag = async () => (await service.send(`${path}?expand=customer`)).headers['etag'];
    expect(await tag()).toBe('"1-1"');
    await patch(service, customer, { name: 'Bea' });
    expect(await tag()).toBe('"1-2"');
    await patch(service, path, { description: 'x' });
    expect(await tag()).toBe('"2-2"');
    const ask = async (etag: string, query: string) =>
      (await service.send(`${path}${query}`, { headers: { 'if-none-match': etag } })).status;
    for (const etag of ['"2-2"', '"2-2-gzip"']) expect(await ask(etag, '?expand=customer')).toBe(304);
    for (const etag of ['"2-1"', '"2"', '"2-gzip"', '"2-gzip-2"'])
      expect(await ask(etag, '?expand=customer')).toBe(200);
    expect(await ask('"2-2"', '')).toBe(200);
  });

  test('PATCH or PUT that changes nothing: 200 with the same ETag and updated_at [CONTRACT §4]', async () => {
    const path = await create(service, { description: 'x' });
    const before = await service.send(path);
    for (const answer of [
      await patch(service, path, { description: 'x' }),
      await patch(service, path, {}),
      await patch(service, path, '{"total_cents":-0}', { headers: JSON_TYPE }),
      await put(service, path, before.json),
    ])
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, before.text, '"1"']);
    expect((await service.send(path)).text).toBe(before.text);
  });

  test('If-None-Match that matches: 304 with an empty body [CONTRACT §7]', async () => {
    const path = await create(service);
    for (const tag of NOT_MODIFIED) {
      const { status, text, headers } = await service.send(path, { headers: { 'if-none-match': tag } });
      const expected = [304, '', '"1"', 'private, max-age=60'];
      expect([tag, status, text, headers['etag'], headers['cache-control']]).toEqual([tag, ...expected]);
    }
    expect((await service.send(path)).headers['cache-control']).toBe('private, max-age=60');
  });

  test('If-None-Match that does not match or is malformed: 200 [§4, CONTRACT §7]', async () => {
    const path = await create(service);
    for (const tag of MODIFIED) {
      const { status, json } = await service.send(path, { headers: { 'if-none-match': tag } });
      expect([tag, status, json.status]).toEqual([tag, 200, 'open']);
    }
  });

  test('HEAD with a matching If-None-Match: 304 [CONTRACT §12]', async () => {
    const sent = { method: 'HEAD', headers: { 'if-none-match': '"1"' } };
    const answer = await service.send(await create(service), sent);
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', '"1"']);
  });

  test('a list: Cache-Control is private, no-cache [CONTRACT §7]', async () => {
    expect((await service.send('/v1/invoices')).headers['cache-control']).toBe('private, no-cache');
  });

  test('If-None-Match of a resource that does not exist: 404 [CONTRACT §12]', async () => {
    const answer = await service.send('/v1/invoices/12345', { headers: { 'if-none-match': '*' } });
    expect(outcome(answer)).toEqual([404, 'not-found']);
  });

  test('If-Match that matches: the write proceeds [CONTRACT §7]', async () => {
    for (const tag of MATCHING) {
      const { status, headers } = await patchIf(service, await create(service), tag);
      expect([tag, status, headers['etag']]).toEqual([tag, 200, '"2"']);
    }
  });

  test('If-Match that does not match: 412 with the current ETag; a malformed one: 400; nothing changes [CONTRACT §7]', async () => {
    const path = await create(service);
    for (const tag of STALE) {
      const { status, json, headers } = await patchIf(service, path, tag);
      const detail = `If-Match is ${JSON.stringify(tag)}; the resource has "1".`;
      expect([status, json.code, json.detail, headers['etag']]).toEqual([412, 'precondition-failed', detail, '"1"']);
    }
    for (const tag of MALFORMED)
      expect([tag, ...outcome(await patchIf(service, path, tag))]).toEqual([tag, 400, 'invalid-header']);
    const headers = { 'if-match': '"2"', 'if-none-match': '"1"' };
    expect((await patch(service, path, {}, { headers })).json.detail).toMatch(/^If-Match is /);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
  });

  test('a stale ETag on a closed invoice: 412; the current ETag: the problem of the state [CONTRACT §2]', async () => {
    const path = await create(service);
    await patch(service, path, { status: 'paid' });
    expect((await patchIf(service, path, '"1"')).status).toBe(412);
    expect(outcome(await patchIf(service, path, '"2"'))).toEqual([422, 'invoice-closed']);
  });

  test('a stale ETag and an invalid body: 422; of a missing resource: 404 [CONTRACT §2]', async () => {
    const path = await create(service);
    expect(outcome(await patchIf(service, path, '"9"', { nope: 1 }))).toEqual([422, 'validation-failed']);
    expect(outcome(await patchIf(service, '/v1/invoices/12345', '"9"'))).toEqual([404, 'not-found']);
  });

  test('If-Match on GET, both headers on a creation: ignored, malformed ones too [CONTRACT §7, §12]', async () => {
    const path = await create(service);
    expect((await service.send(path, { headers: { 'if-match': 'nonsense' } })).status).toBe(200);
    for (const name of ['if-match', 'if-none-match'])
      for (const tag of ['*', '"9"', 'nonsense'])
        expect((await post(service, '/v1/customers', { name: 'Ada' }, { headers: { [name]: tag } })).status).toBe(201);
  });

  for (const [tag, expected] of [
    ['*', 412],
    ['"1"', 412],
    ['W/"1-gzip", "7"', 412],
    ['"7"', 200],
    ['"1-1"', 200],
    ['7', 400],
    ['', 400],
    ['*, "1"', 400],
  ] as const)
    test(`If-None-Match ${JSON.stringify(tag)} on a write of the ETag "1": ${expected} [CONTRACT §7]`, async () => {
      const path = await create(service);
      const answer = await patch(service, path, { description: 'x' }, { headers: { 'if-none-match': tag } });
      expect(answer.status).toBe(expected);
      if (expected === 412) expect([answer.json.code, answer.headers['etag']]).toEqual(['precondition-failed', '"1"']);
      expect((await service.send(path)).json.description).toBe(expected === 200 ? 'x' : null);
    });
});

/** The operations whose 412 names the changed fields. */
const explained = operations.flatMap(([, operation]) => (operation.ifMatch?.events ? [operation] : []));

/** Creates a member, and changes it once. */
const CHANGED: Readonly<Record<string, (service: Service) => Promise<{ path: string; changed: readonly string[] }>>> = {
  customers: async (service) => {
    const path = await created(service, 'customers', { name: 'Ada' });
    await patch(service, path, { name: 'Bea', email: 'bea@example.com' });
    return { path, changed: ['email', 'name'] };
  },
  invoices: async (service) => {
    const path = await created(service, 'invoices', { total_cents: 9 });
    await pay(service, idOf(path), 4);
    await patch(service, path, { due_date: '2032-01-01' });
    return { path, changed: ['amount_due_cents', 'amount_paid_cents', 'due_date'] };
  },
  'invoice-items': async (service) => {
    const { itemized } = idMakers(service);
    const { json } = await addItem(service, await itemized(), 5);
    const path = `/v1/invoice-items/${json.id}`;
    await patch(service, path, { quantity: 2 });
    return { path, changed: ['amount_cents', 'quantity'] };
  },
  payments: async (service) => {
    const { json } = await pay(service, await createInvoice(service), 60);
    await refund(service, json.id, 10);
    return { path: `/v1/payments/${json.id}`, changed: ['amount_refunded_cents', 'status'] };
  },
  'number-series': async (service) => {
    const path = await newSeries(service);
    await patch(service, path, { digits: 7 });
    return { path, changed: ['digits'] };
  },
  exports: async (service) => {
    const path = `/v1/exports/${(await complete(service, CSV)).id}`;
    const { headers } = await service.send(path);
    expect(headers['etag']).not.toBe('"1"');
    const { json } = await service.send(`/v1/events?resource_id=${idOf(path)}&limit=100`);
    const changes = json.data.flatMap(({ changed }: { changed: string[] }) => changed);
    return { path, changed: [...new Set<string>(changes)].sort() };
  },
  'webhook-endpoints': async (service) => {
    const path = `/v1/webhook-endpoints/${await idMakers(service).webhook()}`;
    await patch(service, path, { status: 'disabled' });
    return { path, changed: ['disabled_reason', 'status'] };
  },
};

const collectionOf = ({ route }: Operation): string => route.split('/')[1] as string;

/** Sends the operation with an If-Match. Its body is valid, so that only the precondition refuses it. */
const refuse = async (
  service: Service,
  operation: Operation,
  path: string,
  tag: string,
  query = '',
): Promise<Answer> => {
  const { method, path: route } = operation;
  const verb = route.split('}')[1] ?? '';
  const bodies = {
    PATCH: {},
    PUT: (await service.send(path)).json,
    POST: verb === '/rewind' ? { sequence: 0 } : undefined,
  };
  const body = bodies[method as keyof typeof bodies];
  return service.send(`${path}${verb}${query}`, { method, headers: { 'if-match': tag }, ...(body && { body }) });
};

const WITHOUT = ['"9"', '"0"', '"01"', '"x"', '"1", "2"', '"1", "9"', '"1","1"', '"-1"'];

describe('Fields that changed before a 412', () => {
  for (const [i, version] of VERSIONS.entries()) {
    for (const operation of partOf(explained, 7, i)) {
      test(`${operation.route} of ${version} with an earlier ETag: 412 with the changed v1 fields [CONTRACT §7]`, async () => {
        const collection = collectionOf(operation);
        const { path, changed } = await (CHANGED[collection] as (typeof CHANGED)[string])(service);
        const at = path.replace('v1', version);
        for (const [tag, query] of [
          ['"1"', ''],
          ['W/"1-7"', '?dry_run=true'],
          [' , "1" ,', ''],
        ] as const) {
          const { status, json } = await refuse(service, operation, at, tag, query);
          expect([tag, status, json.code, json.changed]).toEqual([tag, 412, 'precondition-failed', changed]);
        }
      });
    }
  }

  test('If-Match without an ETag of one earlier version: 412 without changed [CONTRACT §7]', async () => {
    const path = await created(service, 'invoices', {});
    for (const description of ['a', 'b']) await patch(service, path, { description });
    for (const tag of WITHOUT) {
      const { status, json } = await patch(service, path, {}, { headers: { 'if-match': tag } });
      expect([tag, status, 'changed' in json]).toEqual([tag, 412, false]);
    }
  });

  test('an ETag between two changes: only the later fields, before and after the feed is read [CONTRACT §7]', async () => {
    const path = await created(service, 'customers', { name: 'Ada' });
    await patch(service, path, { tax_id: 'x' });
    await service.send('/v1/events?limit=1');
    await patch(service, path, { name: 'Bea' });
    const changedSince = async (tag: string) =>
      (await patch(service, path, {}, { headers: { 'if-match': tag } })).json.changed;
    expect([await changedSince('"1"'), await changedSince('"2"')]).toEqual([['name', 'tax_id'], ['name']]);
    await service.send('/v1/events?limit=1');
    expect([await changedSince('"1"'), await changedSince('"2"')]).toEqual([['name', 'tax_id'], ['name']]);
  });

  test('a field that changed and changed back: in changed [CONTRACT §7]', async () => {
    const path = await created(service, 'customers', { name: 'Ada' });
    for (const name of ['Bea', 'Ada']) await patch(service, path, { name });
    const { json } = await patch(service, path, {}, { headers: { 'if-match': '"1"' } });
    expect(json.changed).toEqual(['name']);
  });
});

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

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const MALFORMED_KEYS = [
  '',
  '""',
  'a b',
  `"${randomUUID()}`,
  NIL_UUID,
  'x'.repeat(256),
  `${randomUUID()}, ${randomUUID()}`,
];

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

  test('two PATCHes with one key around the change of another writer: applied once, the second is a replay [CONTRACT §8]', async () => {
    const path = await created(service, 'invoices', {});
    const headers = { 'idempotency-key': randomUUID() };
    const first = await patch(service, path, { description: 'a' }, { headers });
    expect([first.status, first.headers['etag']]).toEqual([200, '"2"']);
    await patch(service, path, { description: 'b' });
    expectReplay(await patch(service, path, { description: 'a' }, { headers }), first);
    const { json, headers: now } = await service.send(path);
    expect([json.description, now['etag']]).toEqual(['b', '"3"']);
    expect(outcome(await patch(service, path, { description: 'c' }, { headers }))).toEqual([
      422,
      'idempotency-key-reused',
    ]);
  });

  test('a PATCH repeated under its key: the replay precedes If-Match and If-None-Match [CONTRACT §8]', async () => {
    const path = await created(service, 'customers', { name: 'Ada' });
    const headers = { 'idempotency-key': 'rename-1', 'if-match': '"1"', 'if-none-match': '"2"' };
    const first = await patch(service, path, { name: 'Bea' }, { headers });
    expect([first.status, first.headers['etag']]).toEqual([200, '"2"']);
    expectReplay(await patch(service, path, { name: 'Bea' }, { headers }), first);
  });

  test('a PATCH that changes nothing, repeated under its key after a change: a replay [CONTRACT §8]', async () => {
    const path = await created(service, 'customers', { name: 'Ada' });
    const headers = { 'idempotency-key': randomUUID() };
    const first = await patch(service, path, {}, { headers });
    await patch(service, path, { name: 'Bea' });
    expectReplay(await patch(service, path, {}, { headers }), first);
  });

  test('a key that is no UUID: the same key with and without quotes; with letters of another case, another key [CONTRACT §8]', async () => {
    const key = `order"${randomUUID()}`;
    const first = await send(service, key);
    expectReplay(await send(service, `"${key.replace('"', '\\"')}"`), first);
    expectNew(await send(service, key.toUpperCase()), first);
  });

  test('a malformed key: 400 [CONTRACT §8]', async () => {
    for (const key of MALFORMED_KEYS)
      expect([key, ...outcome(await send(service, key))]).toEqual([key, 400, 'invalid-idempotency-key']);
  });

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

  test('a key on GET, PUT or DELETE: ignored, also a malformed key [CONTRACT §12]', async () => {
    const path = await created(service, 'invoices');
    const headers = { 'idempotency-key': 'no key' };
    expect((await service.send(path, { headers })).status).toBe(200);
    expect((await put(service, path, {}, { headers })).status).toBe(200);
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

  test('a repeat with a malformed or an invalid body: 400 or 422 for this body [CONTRACT §12]', async () => {
    const key = randomUUID();
    await send(service, key);
    expect(outcome(await send(service, key, '{'))).toEqual([400, 'malformed-json']);
    expect(outcome(await send(service, key, { total_cents: -1 }))).toEqual([422, 'validation-failed']);
  });
});
