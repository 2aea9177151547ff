import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

const service = await startService();
let account_id: string;
let make: Makers;
beforeEach(() => {
  account_id = newAccount();
  make = makers(service, { account: account_id });
});
afterAll(() => service.stop());

const TABLE = { TableName: 'uniqueValues' };
const rows = () => rowsOf(service, 'uniqueValues', account_id);

const WRITES: Readonly<Record<string, (make: Makers) => Promise<readonly [path: string, body: object]>>> = {
  customers: async () => ['/v1/customers', { name: 'Ada' }],
  invoices: async () => ['/v1/invoices', {}],
  payments: async (make) => ['/v1/payments', { invoice_id: (await make.invoice()).id, amount_cents: 1 }],
  refunds: async (make) => {
    const payment = await make.payment((await make.invoice()).id, 10);
    return ['/v1/refunds', { payment_id: payment.id, amount_cents: 1 }];
  },
};

test.each(Object.entries(WRITES))(
  'POST /%s with a value that is taken: 409, and the row stays [CONTRACT §4]',
  async (_, write) => {
    const [path, body] = await write(make);
    expect(outcome(await make.send('POST', path, { ...body, external_id: 'a' }))[0]).toBe(201);
    const before = await rows();
    expect(outcome(await make.send('POST', path, { ...body, external_id: 'a' }))).toEqual([409, 'already-taken']);
    expect(await rows()).toEqual(before);
  },
);

const MEMBERS = {
  customers: (make: Makers) => make.customer({ external_id: 'a' }),
  invoices: (make: Makers) => make.invoice({ external_id: 'a' }),
};

test.each(Object.entries(MEMBERS))(
  'PATCH or PUT of %s to a value that is taken: 409 [CONTRACT §4]',
  async (collection, create) => {
    const { path } = await create(make);
    const [, body] = await (WRITES[collection] as (typeof WRITES)[string])(make);
    await make.send('POST', `/v1/${collection}`, { ...body, external_id: 'b' });
    for (const method of ['PATCH', 'PUT'])
      expect(outcome(await make.send(method, path, { ...body, external_id: 'b' }))).toEqual([409, 'already-taken']);
  },
);

test.each(Object.entries(MEMBERS))(
  '%s whose row has the id of another member: no request gives the value back',
  async (_, create) => {
    for (const [method, body] of [
      ['PATCH', { external_id: null }],
      ['PUT', { name: 'Ada', external_id: null }],
      ['DELETE', undefined],
    ] as const) {
      const { path } = await create(make);
      const [row] = await rows();
      const Item = { ...row, id: 7 };
      await service.client.send(new PutCommand({ ...TABLE, Item }));
      const sent = method === 'PUT' && path.includes('invoices') ? { external_id: null } : body;
      expect((await make.send(method, path, sent)).status).toBe(500);
      expect(await rows()).toEqual([Item]);
      await service.client.send(new DeleteCommand({ ...TABLE, Key: { account_id, value: row?.['value'] } }));
    }
  },
);
