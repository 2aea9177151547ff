import { afterAll, expect, test } from '@jest/globals';
import { workers } from '#functions/workers.ts';
import { rowChecksOf } from '#local/app.ts';
import { resources } from '#shared/invoicing/index.ts';
import * as CHECKS from '#shared/invoicing/row-checks.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { checkedTables } from '#shared/runtime/settings.ts';
import { operations } from '#test/support/requests/requests.ts';
import { customer, invoice, startData } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

const INVALID = { total_cents: -1 };
const MESSAGE = 'A value of total_cents for the table invoices is not valid in its schema.';

test('a row with an invalid value: no write by any method [docs/architecture.md]', () => {
  const { invoices } = data.stores('acct_1');
  const before = invoice(1);
  const after = { ...before, ...INVALID };
  expect(() => invoices.insert(after)).toThrow(new TypeError(MESSAGE));
  expect(() => invoices.replace(before, after)).toThrow(new TypeError(MESSAGE));
  expect(() => invoices.checkVersion(before, after)).toThrow(new TypeError(MESSAGE));
  expect(() => invoices.move(before, INVALID, ['total_cents'])).toThrow(new TypeError(MESSAGE));
  const { due_date: _, ...rest } = before;
  expect(() => invoices.replace(before, { ...rest, currency: 'usd' } as never)).toThrow(TypeError);
});

test('a row whose other values are of another deployment: a change of valid attributes is written [docs/architecture.md]', () => {
  const { invoices } = data.stores('acct_1');
  const before = { ...invoice(1), currency: 'NEW' };
  const after = { ...before, description: 'x', version: 2 };
  expect(invoices.replace(before, after)).toHaveLength(1);
  expect(invoices.checkVersion(before, after)).toHaveLength(1);
});

test('a row without an attribute of a newer deployment: it is changed if the attribute is still absent', () => {
  const { invoices } = data.stores('acct_1');
  const { due_date: _, ...old } = invoice(1);
  const [write] = invoices.move(old as never, { due_date: null }, ['version', 'due_date']);
  expect(write?.condition.clauses).toEqual([
    ['version', '=', 1],
    ['due_date', 'absent'],
  ]);
});

test('a row that the sequencer appends: not checked, because a newer deployment may have put it into the outbox', () => {
  const event = { id: 1, version: 1, type: 'purchase_order.created' };
  expect(data.stores('acct_1').events.append(event as never)).toHaveLength(1);
});

const ORIGIN = { actor: 'user_1', request_id: 'request-1', newId: () => 1 };

test.each([
  ['actor', { ...ORIGIN, actor: 'x'.repeat(1001) }],
  ['actor', { ...ORIGIN, actor: 'a\0b' }],
  ['request_id', { ...ORIGIN, request_id: '\ud800' }],
])('a commit whose event would have an invalid %s: nothing is stored [CONTRACT §14]', async (name, origin) => {
  const writes = data.stores('acct_1').customers.insert(customer(7));
  const commit = createCommit(data.engine)({ writes, origin, deadline: Date.now() + 5000 });
  await expect(commit).rejects.toThrow(`A value of ${name} for the table events is not valid in its schema.`);
  await expect(data.stores('acct_1').customers.get(7)).rejects.toThrow(ProblemError);
});

test('a type of an event that this deployment does not have: nothing is stored [CONTRACT §14]', async () => {
  const [write] = data.stores('acct_1').customers.insert(customer(8));
  const change = { type: 'customer.merged', resource_type: 'customer', resource_id: 8, version: 1, changed: [] };
  const writes = [{ ...(write as NonNullable<typeof write>), change }];
  const commit = createCommit(data.engine)({ writes, origin: ORIGIN, deadline: Date.now() + 5000 });
  await expect(commit).rejects.toThrow('A value of type for the table events is not valid in its schema.');
});

test('every resource: checks the rows of its table', () => {
  expect(Object.keys(CHECKS).sort()).toEqual(Object.keys(resources).sort());
});

test('a function that writes rows: it has the fields of these tables, and of events that follow', () => {
  const tables = Object.fromEntries([
    ...operations.map(([name, operation]) => [name, checkedTables(operation)] as const),
    ...Object.entries(workers).map(([name, worker]) => [name, checkedTables(worker)] as const),
  ]);
  expect(tables).toMatchObject({
    'invoices/get': [],
    'events/list': [],
    'payments/create': ['invoices', 'payments', 'events'],
    'customers/delete': ['events'],
    'workers/publish-changes': [],
    'workers/deliver': ['webhookEndpoints', 'webhookDeliveries', 'events'],
  });
  expect(
    Object.keys(rowChecksOf(operations.find(([name]) => name === 'customers/delete')?.[1] as never).checks ?? {}),
  ).toEqual(['events']);
});

test('a function without the fields of a table: it cannot write its rows', () => {
  const { invoices } = createStores({ ...data.engine, checks: {} })('acct_1');
  expect(() => invoices.insert(invoice(2))).toThrow('The Lambda has no fields of invoices.');
});
