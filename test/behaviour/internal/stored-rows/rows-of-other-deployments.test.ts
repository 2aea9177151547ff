import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from '@jest/globals';
import { EXPORT_TYPES } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { jsonSchema } from '#shared/openapi/json-schema.ts';
import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { exportEverything, readEverything } from '#test/support/requests/read-everything.ts';
import { createNamed, readableResources } from '#test/support/requests/requests.ts';
import { startExports } from '#test/support/service/exports.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

import { newId, RESOURCES, type Row, storedRow } from './rows.ts';

/*
 * After a rollback, and while a deployment rolls out, tables contain rows of a newer and of an older deployment. No row
 * may fail a list, a member, an expansion, an export or the feed.
 */

const service = await startExports();
// The document describes the rows of this deployment.
service.checks.documented = false;
afterAll(() => service.stop());

/** Every deployment stores these attributes: the key, and the sequence of an event, which the feed needs. */
const STRUCTURE = ['id', 'account_id', 'sequence'];

const hasEnum = (schema: Resource['fields']['v1'][string]['schema']): boolean => 'enum' in jsonSchema(schema);

/** Rows without one attribute, with an unknown value of an enum, and with an attribute that nothing here knows. */
const variants = ({ fields: { v1 } }: Resource, base: Row): Row[] => {
  const names = Object.keys(base).filter((name) => !STRUCTURE.includes(name));
  const enums = Object.entries(v1).filter(([name, { schema }]) => name in base && hasEnum(schema));
  return [
    ...names.map((name) => Object.fromEntries(Object.entries(base).filter(([each]) => each !== name))),
    ...enums.map(([name]) => ({ ...base, [name]: 'of_another_deployment' })),
    { ...base, of_another_deployment: { a: [1] } },
  ];
};

const put = async (table: TableName, account_id: string, row: Row): Promise<void> => {
  const { write_id = 'other', ...rest } = row;
  const keys = indexKeys(tables[table], account_id, rest);
  const Item = { ...rest, write_id, ...keys, account_id };
  await service.client.send(new PutCommand({ TableName: service.environment[tables[table].variable], Item }));
};

test.each(partOf(RESOURCES, 3))('rows of other deployments by %s: everything can be read', async (idName, resource) => {
  const caller = { account: `acct_${resource.table}` };
  const table = resource.table as TableName;
  await createNamed(service, idName, caller);
  const rows = variants(resource, await storedRow(service, table, caller.account));
  expect(rows.length).toBeGreaterThan(4);
  for (const row of rows) await put(table, caller.account, { ...row, id: newId() });
  await readEverything(service, caller);
  const types = EXPORT_TYPES.filter((type) => type === resource.collection);
  await exportEverything(service, caller, types);
});

test('events of other deployments: everything can be read, also with expand=resource [CONTRACT §14]', async () => {
  const caller = { account: 'acct_events' };
  await createNamed(service, 'event_id', caller);
  const event = readableResources.get('event_id') as Resource;
  const [head = {}] = (await rowsOf(service, 'outbox', caller.account)).filter(({ id }) => id === HEAD_ID);
  let { sequence, last_id } = head as { sequence: number; last_id: number };
  for (const row of variants(event, await storedRow(service, 'events', caller.account))) {
    sequence += 1;
    last_id = Math.max(newId(), last_id + 1);
    await put('events', caller.account, { ...row, id: last_id, sequence });
  }
  await put('outbox', caller.account, { ...head, sequence, last_id });
  await readEverything(service, caller);
});

test('changes of other deployments in the outbox: they become events, and everything can be read [CONTRACT §14]', async () => {
  const caller = { account: 'acct_outbox' };
  await createNamed(service, 'customer_id', caller);
  const [row = {}] = await rowsOf(service, 'outbox', caller.account);
  const [change = {}] = row['changes'] as Row[];
  const names = Object.keys(change);
  const changes = [
    { ...change, type: 'credit_note.created', resource_type: 'credit_note' },
    { ...change, type: 'customer.merged', of_another_deployment: 1 },
    ...names.map((name) => Object.fromEntries(Object.entries(change).filter(([each]) => each !== name))),
  ];
  for (const one of changes)
    await put('outbox', caller.account, { ...row, id: newId(), write_id: `write ${newId()}`, changes: [one] });
  const { actor: _, request_id: __, ...rest } = row;
  await put('outbox', caller.account, { ...rest, id: newId(), write_id: `write ${newId()}` });
  await readEverything(service, caller);
  const { json } = await service.send('/v1/events?limit=100', { as: caller });
  expect(json.data).toHaveLength(changes.length + 2);
  expect(json.data[1]).toMatchObject({ type: 'credit_note.created', resource_type: 'credit_note' });
});
