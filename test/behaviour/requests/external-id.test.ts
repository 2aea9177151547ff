import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, query } from '../support/pages.ts';
import { created, idOf, invoiceIn, outcome, patch, pay, post, put, remove } from '../support/requests.ts';

const service = await openService();

const COLLECTIONS = ['customers', 'invoices', 'payments', 'refunds', 'credit-notes'] as const;
type Collection = (typeof COLLECTIONS)[number];

/** A body that creates a member. */
const bodyOf = async (collection: Collection): Promise<object> => {
  if (collection === 'customers') return { name: 'Ada' };
  if (collection === 'invoices') return { total_cents: 100 };
  const invoice_id = idOf(await created(service, 'invoices', { total_cents: 100 }));
  if (collection === 'payments' || collection === 'credit-notes') return { invoice_id, amount_cents: 1 };
  return { payment_id: (await pay(service, invoice_id, 50)).json.id, amount_cents: 1 };
};

const find = async (collection: string, external_id: string, version = 'v1'): Promise<number[]> =>
  idsOf(await service.send(`/${version}/${collection}${query({ external_id })}`));

const TAKEN = (id: number) => ({ code: 'already-taken', field: 'external_id', conflicting_id: id });

const INVALID = ['', 'x'.repeat(201), 7, true, ['a'], 'a\0b'] as const;
const UNUSUAL = ['0', ' ', 'a#b', 'A,b', '😀'.repeat(187), 'customer#external_id#1'];

describe('external_id', () => {
  for (const collection of COLLECTIONS) {
    test(`${collection}: found at once, and a second one with it is 409 and changes nothing [CONTRACT §4, §10]`, async () => {
      const external_id = randomUUID();
      const body = { ...(await bodyOf(collection)), external_id };
      const { json: first } = await post(service, `/v1/${collection}`, body);
      expect(first.external_id).toBe(external_id);
      for (const version of ['v1', 'v2']) expect(await find(collection, external_id, version)).toEqual([first.id]);
      const refused = await post(service, `/v1/${collection}`, body);
      expect([refused.status, refused.json]).toMatchObject([409, TAKEN(first.id)]);
      expect(await find(collection, external_id)).toEqual([first.id]);
    });
  }

  test('20 creators with the same external_id and keys of their own: one 201, nineteen 409 that name it [CONTRACT §4]', async () => {
    const external_id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(service, '/v1/customers', { name: 'Ada', external_id })),
    );
    const [winner, ...others] = answers.sort((a, b) => a.status - b.status);
    expect(winner?.status).toBe(201);
    for (const { status, json } of others) expect([status, json]).toMatchObject([409, TAKEN(winner?.json.id)]);
  });

  test('members of two types have the same one, and so have two accounts [CONTRACT §4]', async () => {
    const external_id = randomUUID();
    const customer = await created(service, 'customers', { name: 'Ada', external_id });
    const invoice = await created(service, 'invoices', { external_id });
    expect([await find('customers', external_id), await find('invoices', external_id)]).toEqual([
      [idOf(customer)],
      [idOf(invoice)],
    ]);
  });

  testWith('otherAccount')('another account: it neither finds the value nor is refused [CONTRACT §2, §4]', async () => {
    const external_id = randomUUID();
    await created(service, 'customers', { name: 'Ada', external_id });
    const as = { account: 'other' };
    const listed = await service.send(`/v1/customers${query({ external_id })}`, { as });
    const own = await post(service, '/v1/customers', { name: 'Bob', external_id }, { as });
    expect([idsOf(listed), own.status]).toEqual([[], 201]);
  });

  test('PATCH to the value of another member, and to null and back: 409, then free and taken again [CONTRACT §4]', async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const [first, second] = [
      await created(service, 'customers', { name: 'A', external_id: a }),
      await created(service, 'customers', { name: 'B', external_id: b }),
    ];
    const refused = await patch(service, first, { external_id: b });
    expect([refused.status, refused.json]).toMatchObject([409, TAKEN(idOf(second))]);
    expect((await service.send(first)).json).toMatchObject({ external_id: a, name: 'A' });
    expect((await patch(service, second, { external_id: null })).json.external_id).toBeNull();
    expect(await find('customers', b)).toEqual([]);
    expect((await patch(service, first, { external_id: b })).status).toBe(200);
    expect((await patch(service, second, { external_id: a })).status).toBe(200);
    expect([await find('customers', a), await find('customers', b)]).toEqual([[idOf(second)], [idOf(first)]]);
  });

  test('two members that swap their values at once: both 409, and nothing changes [CONTRACT §4]', async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const first = await created(service, 'customers', { name: 'A', external_id: a });
    const second = await created(service, 'customers', { name: 'B', external_id: b });
    const answers = await Promise.all([
      patch(service, first, { name: 'C', external_id: b }),
      patch(service, second, { name: 'D', external_id: a }),
    ]);
    expect(answers.map(({ json }) => json)).toMatchObject([TAKEN(idOf(second)), TAKEN(idOf(first))]);
    expect((await service.send(first)).json).toMatchObject({ name: 'A', external_id: a });
    expect((await service.send(second)).json).toMatchObject({ name: 'B', external_id: b });
  });

  test('creators and a DELETE of the holder at once: at most one member has the value, and the filter finds it [CONTRACT §4]', async () => {
    const external_id = randomUUID();
    const holder = await created(service, 'customers', { name: 'A', external_id });
    const create = () => post(service, '/v1/customers', { name: 'B', external_id });
    const creators = Array.from({ length: 8 }, create);
    const [deleted, ...answers] = await Promise.all([remove(service, holder), ...creators]);
    expect(deleted?.status).toBe(204);
    const winners = answers.flatMap(({ status, json }) => (status === 201 ? [json.id] : []));
    expect(winners.length).toBeLessThanOrEqual(1);
    expect(await find('customers', external_id)).toEqual(winners);
    expect((await create()).status).toBe(winners.length > 0 ? 409 : 201);
  });

  test('PUT without it keeps it, with null removes it [CONTRACT §4]', async () => {
    for (const [collection, body] of [
      ['customers', { name: 'Ada' }],
      ['invoices', { total_cents: 5 }],
    ] as const) {
      const external_id = randomUUID();
      const path = await created(service, collection, { ...body, external_id });
      expect((await put(service, path, body)).json.external_id).toBe(external_id);
      expect((await put(service, path, { ...body, external_id: null })).json.external_id).toBeNull();
      expect(await find(collection, external_id)).toEqual([]);
    }
  });

  test('a deleted member: its value is free [CONTRACT §4]', async () => {
    for (const [collection, body] of [
      ['customers', { name: 'Ada' }],
      ['invoices', { items: [{ description: 'x', unit_amount_cents: 1 }] }],
    ] as const) {
      const external_id = randomUUID();
      await remove(service, await created(service, collection, { ...body, external_id }));
      expect(await find(collection, external_id)).toEqual([]);
      const again = await created(service, collection, { ...body, external_id });
      expect(await find(collection, external_id)).toEqual([idOf(again)]);
    }
  });

  test('a paid or canceled invoice: its external_id can change [CONTRACT §4]', async () => {
    for (const status of ['paid', 'canceled']) {
      const external_id = randomUUID();
      expect((await patch(service, await invoiceIn(service, status), { external_id })).json).toMatchObject({
        status,
        external_id,
      });
      expect(await find('invoices', external_id)).toHaveLength(1);
    }
  });

  test('a repeated request with its key: the stored response, not 409 [CONTRACT §8]', async () => {
    const sent = { headers: { 'idempotency-key': randomUUID() } };
    const body = { name: 'Ada', external_id: randomUUID() };
    const first = await post(service, '/v1/customers', body, sent);
    const again = await post(service, '/v1/customers', body, sent);
    expect([again.status, again.json, again.headers['idempotent-replayed']]).toEqual([201, first.json, 'true']);
  });

  test('a dry run: 409 for a value that is taken, and takes none itself [CONTRACT §13]', async () => {
    const external_id = randomUUID();
    const dry = () => post(service, '/v1/customers?dry_run=true', { name: 'Ada', external_id });
    expect((await dry()).status).toBe(201);
    const path = await created(service, 'customers', { name: 'Ada', external_id });
    const refused = await dry();
    expect([refused.status, refused.json]).toMatchObject([409, TAKEN(idOf(path))]);
  });

  testWith('claims')('a caller without the read scope: 409 without conflicting_id [CONTRACT §4]', async () => {
    const external_id = randomUUID();
    await created(service, 'customers', { name: 'Ada', external_id });
    const refused = await post(
      service,
      '/v1/customers',
      { name: 'Bob', external_id },
      { as: { scope: 'customers:write' } },
    );
    expect(outcome(refused)).toEqual([409, 'already-taken']);
    expect(refused.json).not.toHaveProperty('conflicting_id');
  });

  for (const external_id of INVALID)
    test(`${JSON.stringify(external_id).slice(0, 20)}: 422 in a body, and as a filter [CONTRACT §4]`, async () => {
      const { status, json } = await post(service, '/v1/customers', { name: 'Ada', external_id });
      expect([status, json.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, ['/external_id']]);
      if (typeof external_id !== 'string') return;
      const listed = await service.send(`/v1/customers${query({ external_id })}`);
      expect([listed.status, listed.json.errors[0].parameter]).toEqual([422, 'external_id']);
    });

  for (const text of UNUSUAL)
    test(`${JSON.stringify(text).slice(0, 24)}: stored unchanged, and compared exactly [CONTRACT §4]`, async () => {
      const external_id = `${text}${Date.now()}`;
      const path = await created(service, 'customers', { name: 'Ada', external_id });
      expect([await find('customers', external_id), (await service.send(path)).json.external_id]).toEqual([
        [idOf(path)],
        external_id,
      ]);
      expect(await find('customers', external_id.toLowerCase())).toEqual(
        external_id === external_id.toLowerCase() ? [idOf(path)] : [],
      );
    });

  for (const beside of ['limit=1', 'ids=1', 'email=a@b', 'sort=id', 'page=1', 'created_from=2026-01-01T00:00:00Z'])
    test(`?external_id=a&${beside}: 422 naming the other parameter [CONTRACT §4]`, async () => {
      const { status, json } = await service.send(`/v1/customers?external_id=a&${beside}`);
      const names = json.errors.map(({ parameter }: { parameter: string }) => parameter);
      expect([status, names]).toEqual([422, [beside.split('=')[0]]]);
    });

  test('with fields and expand: one page without a cursor [CONTRACT §4]', async () => {
    const external_id = randomUUID();
    const customer_id = idOf(await created(service, 'customers', { name: 'Ada' }));
    const id = idOf(await created(service, 'invoices', { customer_id, external_id }));
    const { json } = await service.send(`/v1/invoices${query({ external_id, fields: 'id', expand: 'customer' })}`);
    expect(json).toMatchObject({ data: [{ id, customer: { id: customer_id } }], has_more: false, next_cursor: null });
  });
});
