import { describe, expect } from '@jest/globals';
import { DEFAULT_TERMS } from '#shared/invoicing/invoices/rules.ts';
import type { Sent } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import {
  addItem,
  created,
  idOf,
  invoiceIn,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
  times,
} from '../support/requests.ts';

const service = await openService();

const create = (service: Service, body: object = {}) => created(service, 'invoices', body);

const EMPTY = {
  ...DEFAULT_TERMS,
  ...{
    number: null,
    issued_at: null,
    bill_to: null,
    settlement: null,
    subtotal_cents: 0,
    tax_cents: 0,
    tax_breakdown: [],
    amount_paid_cents: 0,
    amount_credited_cents: 0,
    amount_due_cents: 0,
    paid_at: null,
    canceled_at: null,
  },
};

describe('Invoices', () => {
  test('POST of an empty object: creates an open invoice of 0 USD [CONTRACT §4]', async () => {
    const { status, json, headers } = await post(service, '/v1/invoices', {});
    const { id, created_at, updated_at, ...rest } = json;
    expect([status, headers['location'], headers['etag']]).toEqual([201, `/v1/invoices/${id}`, '"1"']);
    expect([rest, updated_at]).toEqual([EMPTY, created_at]);
  });

  test('read-only fields in PATCH and PUT: accepted and ignored [CONTRACT §4]', async () => {
    const computed = {
      tax_breakdown: 7,
      tax_cents: 'x',
      amount_paid_cents: -5,
      amount_credited_cents: 'x',
      amount_due_cents: {},
      paid_at: 1,
      canceled_at: [],
    };
    const body = { id: 'x', created_at: null, updated_at: 7, ...computed };
    const { json } = await post(service, '/v1/invoices', { total_cents: 5 });
    const path = `/v1/invoices/${json.id}`;
    expect((await patch(service, path, body)).json).toEqual(json);
    expect((await put(service, path, { ...body, total_cents: 5 })).json).toEqual(json);
  });

  test('PUT without status: it stays, other omitted fields get their defaults [CONTRACT §4]', async () => {
    const body = { status: 'draft', total_cents: 5, currency: 'EUR', description: 'x', metadata: { a: 'b' } };
    const path = await create(service, body);
    const { json } = await put(service, path, { due_date: '2026-12-31' });
    const expected = { ...EMPTY, status: 'draft', due_date: '2026-12-31' };
    expect(json).toMatchObject(expected);
    expect((await service.send(path)).json).toEqual(json);
  });

  test('PUT of a locked invoice without the currency or the total: the missing value stays [CONTRACT §4]', async () => {
    const [flat, itemized] = [
      await create(service, { total_cents: 9, currency: 'EUR' }),
      await create(service, { currency: 'EUR' }),
    ];
    await pay(service, idOf(flat), 4);
    await addItem(service, idOf(itemized), 9);
    const v2 = (path: string) => path.replace('/v1', '/v2');
    const kept = { total_cents: 9, currency: 'EUR', status: 'open' };
    for (const answer of [
      await put(service, flat, { total_cents: 9 }),
      await put(service, itemized, { total_cents: 9 }),
      await put(service, itemized, {}),
      await put(service, itemized, { currency: 'EUR' }),
    ])
      expect([answer.status, answer.json]).toEqual([200, expect.objectContaining(kept)]);
    for (const answer of [
      await put(service, v2(flat), { total: { amount: 9 } }),
      await put(service, v2(itemized), { total: { amount: 9 } }),
      await put(service, v2(itemized), {}),
    ])
      expect([answer.status, answer.json.total]).toEqual([200, { amount: 9, currency: 'EUR' }]);
    expect(outcome(await put(service, flat, { total_cents: 9, currency: 'USD' }))).toEqual([422, 'currency-locked']);
    expect(outcome(await put(service, flat, {}))).toEqual([422, 'total-below-paid']);
  });

  test('PATCH of the total of a flat invoice: amount_due_cents follows [CONTRACT §4]', async () => {
    const path = await create(service, { total_cents: 5 });
    expect((await patch(service, path, { total_cents: 7 })).json).toMatchObject({
      total_cents: 7,
      amount_due_cents: 7,
    });
    expect((await service.send(path)).json.amount_due_cents).toBe(7);
  });

  for (const write of [patch, put] as const) {
    const title = `${write.name.toUpperCase()} of the status from draft to open to paid: 200, the amount due is 0`;
    test(`${title} [CONTRACT §4]`, async () => {
      const total_cents = 500;
      const path = await create(service, { status: 'draft', total_cents });
      expect((await service.send(path)).json).toMatchObject({ status: 'draft', amount_due_cents: 500 });
      const opened = await write(service, path, { status: 'open', total_cents });
      expect(opened.json).toMatchObject({ status: 'open', amount_due_cents: 500 });
      const { json } = await write(service, path, { status: 'paid', total_cents });
      expect(json).toMatchObject({ status: 'paid', amount_due_cents: 0, amount_paid_cents: 0, total_cents });
      expect([json.paid_at, json.canceled_at]).toEqual([json.updated_at, null]);
      expect((await service.send(path)).json).toEqual(json);
    });
  }

  test('PATCH of a closed invoice with its own values: 200, nothing changes [CONTRACT §4]', async () => {
    for (const status of ['paid', 'canceled']) {
      const path = await invoiceIn(service, status);
      const before = await service.send(path);
      const answer = await patch(service, path, { status, description: null });
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, before.text, before.headers['etag']]);
    }
  });

  for (const status of ['paid', 'canceled']) {
    test(`PATCH and PUT of metadata of a ${status} invoice: 200, nothing else changes [CONTRACT §4]`, async () => {
      const path = await invoiceIn(service, status);
      const { json: before } = await service.send(path);
      const patched = await patch(service, path, { metadata: { ledger: '7' } });
      const { updated_at } = patched.json;
      expect([patched.status, patched.json]).toEqual([200, { ...before, metadata: { ledger: '7' }, updated_at }]);
      const tooMany = { metadata: Object.fromEntries(times(20, (i) => [`key${i}`, 'x'])) };
      expect(outcome(await patch(service, path, tooMany))).toEqual([422, 'validation-failed']);
      const replaced = await put(service, path, { ...before, metadata: {} });
      expect([replaced.status, replaced.json.metadata, replaced.json.paid_at]).toEqual([200, {}, before.paid_at]);
    });
  }

  for (const status of ['paid', 'canceled']) {
    test(`POST of an invoice with the status ${status}: 422 at /status [CONTRACT §4]`, async () => {
      const answer = await post(service, '/v1/invoices', { status });
      expect([...outcome(answer), ...pointersOf(answer)]).toEqual([422, 'validation-failed', '/status']);
    });
  }

  for (const status of ['draft', 'open']) {
    test(`cancel of a ${status} invoice: 200 canceled; again: 200, nothing changes [CONTRACT §4]`, async () => {
      const path = await create(service, { status, total_cents: 9 });
      const first = await post(service, `${path}/cancel`);
      const { updated_at: canceled_at } = first.json;
      expect([first.status, first.headers['etag']]).toEqual([200, '"2"']);
      expect(first.json).toMatchObject({ status: 'canceled', total_cents: 9, amount_due_cents: 0, canceled_at });
      const again = await post(service, `${path}/cancel`, {});
      expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
      expect((await service.send(path)).text).toBe(first.text);
    });
  }

  test('cancel of a paid invoice: 409, nothing changes [CONTRACT §4]', async () => {
    const path = await invoiceIn(service, 'paid');
    expect(outcome(await post(service, `${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect((await service.send(path)).json.status).toBe('paid');
  });

  test('cancel of an open invoice with a payment: 409, nothing changes [CONTRACT §4]', async () => {
    const path = await create(service, { total_cents: 9 });
    await pay(service, idOf(path), 1);
    expect(outcome(await post(service, `${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect((await service.send(path)).json).toMatchObject({ status: 'open', canceled_at: null });
  });

  test('cancel without a body, with any Content-Type: 200; with a field: 422 [CONTRACT §12]', async () => {
    const path = await create(service);
    const cancel = (body: unknown, type: string) =>
      service.send(`${path}/cancel`, {
        method: 'POST',
        headers: { 'content-type': type },
        ...(body !== undefined && { body }),
      });
    expect((await cancel(undefined, 'text/plain')).status).toBe(200);
    expect((await cancel('', 'application/xml')).status).toBe(200);
    expect(pointersOf(await cancel({ status: 'open' }, 'application/json'))).toEqual(['/status']);
    expect(outcome(await cancel('x', 'text/plain'))).toEqual([415, 'unsupported-media-type']);
  });

  for (const status of ['draft', 'open', 'canceled']) {
    test(`DELETE of a ${status} invoice: 204, then 404 [CONTRACT §4]`, async () => {
      const path = await invoiceIn(service, status);
      expect((await remove(service, path)).status).toBe(204);
      expect(outcome(await service.send(path))).toEqual([404, 'not-found']);
      expect(outcome(await post(service, `${path}/cancel`))).toEqual([404, 'not-found']);
    });
  }

  test('DELETE of an invoice settled outside: 409 invoice-closed [CONTRACT §12]', async () => {
    const path = await invoiceIn(service, 'paid');
    expect(outcome(await remove(service, path))).toEqual([409, 'invoice-closed']);
    expect((await service.send(path)).status).toBe(200);
  });
});

const CHANGES: readonly (readonly [from: string, body: object, code: string])[] = [
  ['draft', { status: 'paid' }, 'invalid-transition'],
  ['draft', { status: 'canceled' }, 'invalid-transition'],
  ['open', { status: 'draft' }, 'invalid-transition'],
  ['open', { status: 'canceled' }, 'invalid-transition'],
  ['paid', { status: 'draft' }, 'invalid-transition'],
  ['paid', { status: 'open' }, 'invalid-transition'],
  ['paid', { status: 'canceled' }, 'invalid-transition'],
  ['canceled', { status: 'draft' }, 'invalid-transition'],
  ['canceled', { status: 'open' }, 'invalid-transition'],
  ['canceled', { status: 'paid' }, 'invalid-transition'],
  ['paid', { description: 'x' }, 'invoice-closed'],
  ['paid', { total_cents: 1 }, 'invoice-closed'],
  ['paid', { metadata: { a: 'b' }, due_date: '2026-12-24' }, 'invoice-closed'],
  ['paid', { metadata: { a: 'b' }, status: 'open' }, 'invalid-transition'],
  ['canceled', { description: 'x' }, 'invoice-closed'],
];

describe('Refused changes of an invoice', () => {
  const MISSING = { customer_id: 1 };
  const missing = async (path: string, body: object, sent: Sent = {}) => {
    for (const write of [patch, put]) {
      const { status, json } = await write(service, path, { ...body, ...MISSING }, sent);
      expect([status, json.detail]).toEqual([404, 'No customer has the id in customer_id.']);
    }
  };

  for (const [status, body, code] of CHANGES) {
    test(`PATCH or PUT of a ${status} invoice with ${JSON.stringify(body)}: 422 ${code}; with an unknown customer: 404 [CONTRACT §2, §4]`, async () => {
      const path = await invoiceIn(service, status);
      const before = await service.send(path);
      for (const answer of [await patch(service, path, body), await put(service, path, { ...before.json, ...body })]) {
        expect(outcome(answer)).toEqual([422, code]);
        expect(answer.json.errors).toHaveLength(1);
      }
      await missing(path, body);
      expect((await service.send(path)).text).toBe(before.text);
    });
  }

  test('PATCH or PUT with an unknown customer: 404 before 412, and in a dry run [CONTRACT §2]', async () => {
    const path = await create(service);
    await missing(path, {}, { headers: { 'if-match': '"9"' } });
    await missing(`${path}?dry_run=true`, {}, { headers: { 'if-match': '"9"' } });
  });

  testWith('roles')(
    'PATCH or PUT to paid above a limit with an unknown customer: 404 before 403 [CONTRACT §2]',
    async () => {
      const total_cents = 100_000_000;
      const path = await create(service, { total_cents });
      const sent = { as: { role: 'clerk' } };
      await missing(path, { status: 'paid', total_cents }, sent);
      expect((await patch(service, path, { status: 'paid' }, sent)).status).toBe(403);
    },
  );
});

describe('expand=items', () => {
  const LINE = { description: 'Work', unit_amount_cents: 5 };

  const VERSIONS = ['v1', 'v2'];

  const create = (service: Service, body: object = {}) =>
    created(service, 'invoices', { items: [LINE, LINE], ...body });

  const listed = async (service: Service, version: string, path: string) =>
    (await service.send(`/${version}/invoice-items?invoice_id=${idOf(path)}&limit=100`)).json.data;

  for (const version of VERSIONS) {
    test(`${version}, expand=items: the invoice with the members of invoice-items [CONTRACT §4]`, async () => {
      const path = (await create(service)).replace('v1', version);
      await addItem(service, idOf(path), 7, { quantity: 3 });
      const plain = (await service.send(path)).json;
      const { status, json } = await service.send(`${path}?expand=items`);
      const items = await listed(service, version, path);
      expect([status, json]).toEqual([200, { ...plain, items }]);
      expect(Object.keys(json).at(-1)).toBe('items');
      const ids = items.map(({ id }: { id: number }) => id);
      expect([ids.length, ids]).toEqual([3, ids.toSorted((a: number, b: number) => a - b)]);
      const members = await Promise.all(ids.map((id: number) => service.send(`/${version}/invoice-items/${id}`)));
      expect(json.items).toEqual(members.map((member) => member.json));
    });

    test(`${version}, expand=items of an invoice without items: [] [CONTRACT §4]`, async () => {
      const path = (await create(service, { items: [], total_cents: 9 })).replace('v1', version);
      expect((await service.send(`${path}?expand=items`)).json.items).toEqual([]);
    });

    test(`${version}, expand=items on a list: 422 at expand [CONTRACT §4]`, async () => {
      for (const query of ['expand=items', 'expand=customer,items', 'limit=1&expand=items']) {
        const { status, json } = await service.send(`/${version}/invoices?${query}`);
        expect([status, json.code, json.errors[0]]).toMatchObject([422, 'validation-failed', { parameter: 'expand' }]);
      }
      const path = (await create(service)).replace('v1', version);
      expect((await service.send(`${path}/payments?expand=items`)).status).toBe(422);
    });
  }

  test('expand=customer,items: customer and items, in any order [CONTRACT §4]', async () => {
    const customer = await created(service, 'customers', { name: 'Ann' });
    const path = await create(service, { customer_id: idOf(customer) });
    const { json, headers, text } = await service.send(`${path}?expand=customer,items&fields=id`);
    const items = await listed(service, 'v1', path);
    expect(json).toEqual({ id: idOf(path), customer: (await service.send(customer)).json, items });
    const other = await service.send(`${path}?fields=id&expand=items,customer,items`);
    expect([other.text, other.headers['etag']]).toEqual([text, headers['etag']]);
  });

  test('fields with expand=items: these fields of the invoice, all of the items [CONTRACT §6]', async () => {
    const path = await create(service);
    const items = await listed(service, 'v1', path);
    for (const [fields, expected] of [
      ['status', { status: 'open' }],
      ['total_cents,id', { id: idOf(path), total_cents: 10 }],
    ] as const)
      expect((await service.send(`${path}?expand=items&fields=${fields}`)).json).toEqual({ ...expected, items });
  });

  testWith('otherAccount')('expand=items needs invoices:read, and no other scope [CONTRACT §2]', async () => {
    const path = `${await create(service)}?expand=items`;
    expect((await service.send(path, { as: { scope: 'invoices:read' } })).status).toBe(200);
    const both = await service.send(`${path},customer`, { as: { scope: 'invoices:read' } });
    expect(outcome(both)).toEqual([403, 'insufficient-scope']);
    expect(outcome(await service.send(path, { as: { account: 'other' } }))).toEqual([404, 'not-found']);
    expect(outcome(await service.send('/v1/invoices/1?expand=items'))).toEqual([404, 'not-found']);
  });

  testWith('fullExtent')(
    'a change of an item: another ETag, also if the invoice stays the same [CONTRACT §4]',
    async () => {
      const path = await create(service);
      const [first, second] = (await listed(service, 'v1', path)).map(
        ({ id }: { id: number }) => `/v1/invoice-items/${id}`,
      ) as [string, string];
      const read = (headers = {}) => service.send(`${path}?expand=items`, { headers });
      const seen = new Set<string>();
      const changes = [
        () => patch(service, first, { description: 'x' }),
        () => patch(service, second, { description: 'x' }),
        () => patch(service, first, { quantity: 5, unit_amount_cents: 1 }),
        () => patch(service, first, { quantity: 6 }),
        () => patch(service, path, { description: 'x' }),
        () => addItem(service, idOf(path), 0),
        () => remove(service, second),
        () => remove(service, first),
      ];
      for (const change of [async () => {}, ...changes]) {
        await change();
        const { headers, json } = await read();
        const etag = headers['etag'] as string;
        expect([seen.has(etag), etag.split('-')[0]]).toEqual([
          false,
          (await service.send(path)).headers['etag']?.slice(0, -1),
        ]);
        expect(json.items).toEqual(await listed(service, 'v1', path));
        const same = await read({ 'if-none-match': etag });
        expect([same.status, same.text, same.headers['etag']]).toEqual([304, '', etag]);
        seen.add(etag);
      }
      expect((await read({ 'if-none-match': [...seen].slice(0, -1).join() })).status).toBe(200);
    },
  );

  test('a tag from a response with items in If-Match: its first part counts [CONTRACT §7]', async () => {
    const path = await create(service);
    const tag = (await service.send(`${path}?expand=items`)).headers['etag'];
    const [{ id }] = await listed(service, 'v1', path);
    await patch(service, `/v1/invoice-items/${id}`, { description: 'x' });
    const write = () => patch(service, path, { description: 'x' }, { headers: { 'if-match': tag } });
    expect((await write()).status).toBe(200);
    expect(outcome(await write())).toEqual([412, 'precondition-failed']);
  });
});
