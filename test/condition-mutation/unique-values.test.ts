import { PutCommand } from '@aws-sdk/lib-dynamodb';
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

/** The unique field of a collection, with a value. */
const withValue = (path: string, value: string): object =>
  path.includes('number-series') ? { prefix: `${value.toUpperCase()}-` } : { external_id: value };

const WRITES: Readonly<Record<string, (make: Makers) => Promise<readonly [path: string, body: object]>>> = {
  customers: async () => ['/v1/customers', { name: 'Ada' }],
  invoices: async () => ['/v1/invoices', {}],
  'number-series': async () => ['/v1/number-series', {}],
  payments: async (make) => ['/v1/payments', { invoice_id: (await make.invoice()).id, amount_cents: 1 }],
  refunds: async (make) => {
    const payment = await make.payment((await make.invoice()).id, 10);
    return ['/v1/refunds', { payment_id: payment.id, amount_cents: 1 }];
  },
  'credit-notes': async (make) => ['/v1/credit-notes', { invoice_id: (await make.invoice()).id, amount_cents: 1 }],
};

test.each(Object.entries(WRITES))(
  'POST /%s with a value that is taken: 409, and the row stays [CONTRACT §4]',
  async (_, write) => {
    const [path, body] = await write(make);
    expect(outcome(await make.send('POST', path, { ...body, ...withValue(path, 'a') }))[0]).toBe(201);
    const before = await rows();
    const refused = await make.send('POST', path, { ...body, ...withValue(path, 'a') });
    expect(outcome(refused)).toEqual([409, 'already-taken']);
    expect(await rows()).toEqual(before);
  },
);

const MEMBERS = {
  customers: (make: Makers) => make.customer({ external_id: 'a' }),
  invoices: (make: Makers) => make.invoice({ external_id: 'a' }),
  'number-series': (make: Makers) => make.create('number-series', { prefix: 'A-' }),
};

test.each(Object.entries(MEMBERS))(
  'PATCH or PUT of %s to a value that is taken: 409 [CONTRACT §4]',
  async (collection, create) => {
    const { path } = await create(make);
    const [, body] = await (WRITES[collection] as (typeof WRITES)[string])(make);
    const other = { ...body, ...withValue(path, 'b') };
    await make.send('POST', `/v1/${collection}`, other);
    for (const method of collection === 'number-series' ? ['PATCH'] : ['PATCH', 'PUT'])
      expect(outcome(await make.send(method, path, other))).toEqual([409, 'already-taken']);
  },
);

const RELEASES = {
  customers: [
    ['PATCH', { external_id: null }],
    ['PUT', { name: 'Ada', external_id: null }],
    ['DELETE', undefined],
  ],
  invoices: [
    ['PATCH', { external_id: null }],
    ['PUT', { external_id: null }],
    ['DELETE', undefined],
  ],
  'number-series': [
    ['PATCH', { prefix: 'B-' }],
    ['DELETE', undefined],
  ],
} as const;

test.each(Object.entries(MEMBERS))(
  '%s whose row has the id of another member: no request gives the value back',
  async (collection, create) => {
    const { path } = await create(make);
    const [row] = await rows();
    const Item = { ...row, id: 7 };
    await service.client.send(new PutCommand({ ...TABLE, Item }));
    for (const [method, body] of RELEASES[collection as keyof typeof RELEASES]) {
      expect((await make.send(method, path, body)).status).toBe(500);
      expect(await rows()).toEqual([Item]);
    }
  },
);
