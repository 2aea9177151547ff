import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rowChecksOf } from '#local/app.ts';
import { EXPORT_TYPES } from '#shared/invoicing/index.ts';
import { type Collections, createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { Field } from '#shared/platform/wire/field.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import { MAX_CENTS, type TableName } from '#shared/vocabulary.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { combine, extremesOf } from '#test/support/requests/extremes.ts';
import { exportEverything, readEverything } from '#test/support/requests/read-everything.ts';
import {
  createNamed,
  createPrerequisites,
  operations,
  readableResources,
  request,
  resetCounters,
} from '#test/support/requests/requests.ts';
import type { Caller } from '#test/support/service/client.ts';
import { startExports } from '#test/support/service/exports.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { newId, RESOURCES, type Row, storedRow } from './rows.ts';

/*
 * Every stored value can be read: each list, member, expansion, export and event responds as documented. The
 * fields and their extremes derive from the declarations, so a new field is in these tests.
 */

const service = await startExports();
service.checks.documented = true;
afterAll(() => service.stop());

type Versioned = Row & { readonly id: number; readonly version: number };

const ALL_METHODS = ['insert', 'replace'];
const DECLARED = { uses: Object.fromEntries(RESOURCES.map(([, { table }]) => [table, ALL_METHODS])) };

/** With these values, each extreme of a field is valid: the computed amounts stay in their limits. */
const ROOM: Readonly<Record<string, (field: string) => object>> = {
  invoices: () => ({ status: 'paid' }),
  invoiceItems: (field) => ({
    ...{ quantity: 1, discount_cents: 0 },
    unit_amount_cents: field === 'discount_cents' ? MAX_CENTS : 0,
  }),
};

/** The fields that are computed from an attribute with another form. */
const DERIVED = ['tax_cents', 'tax_breakdown'];

/** The stored attribute of a field. A computed field with one attribute is as extreme as this attribute. */
const attributeOf = (name: string, { value, reads = [] }: Field): string | undefined => {
  if (value === undefined) return name;
  return reads.length === 1 && !DERIVED.includes(name) ? reads[0] : undefined;
};

/** Rows in which each field has each of its extremes. */
const extremeRows = (resource: Resource, base: Versioned): Row[] => {
  const values = Object.entries(resource.fields.v1).flatMap(([name, field]) => {
    const attribute = attributeOf(name, field);
    return name === 'id' || attribute === undefined ? [] : [[attribute, extremesOf(field.schema)] as const];
  });
  const isValid = (row: Row) => {
    try {
      resource.checkRow(row);
      return true;
    } catch {
      return false;
    }
  };
  // A computed amount of a combination can be too large: then each extreme has a row of its own.
  return combine(Object.fromEntries(values)).flatMap((extremes) => {
    const row = { ...base, ...extremes };
    const alone = ([name, value]: [string, unknown]) => ({ ...base, ...ROOM[resource.table]?.(name), [name]: value });
    return isValid(row) ? [row] : Object.entries(extremes).map(alone);
  });
};

const commit = async (writes: readonly Write[], origin = { actor: 'user_1', request_id: 'request-1' }) => {
  const context = {
    client: service.client,
    tableNames: tableNames(service.environment, DECLARED),
    ...rowChecksOf(DECLARED),
  };
  const outcome = await createCommit(context)({ writes, origin: { ...origin, newId }, deadline: Date.now() + 10_000 });
  expect(outcome).toEqual({ done: true });
};

const storeOf = (resource: Resource, account_id: string) => {
  const context = {
    client: service.client,
    tableNames: tableNames(service.environment, DECLARED),
    ...rowChecksOf(DECLARED),
  };
  return createStores(context)(account_id)[resource.table as keyof Collections] as unknown as {
    insert(row: Row): Write[];
    replace(before: Row, after: Row): Write[];
  };
};

/** All resources go through the same steps of the store. */
const TRIED = partOf(RESOURCES, 3);

describe.each(TRIED)('a resource by its %s', (idName, resource) => {
  const caller = { account: `acct_${resource.table}` };
  let base: Versioned;

  beforeAll(async () => {
    await createNamed(service, idName, caller);
    const { account_id: _, ...row } = await storedRow(service, resource.table as TableName, caller.account);
    base = row as Versioned;
  });

  test('each field with each extreme, inserted and changed: everything can be read', async () => {
    const rows = extremeRows(resource, base);
    expect(rows.length).toBeGreaterThan(3);
    const store = storeOf(resource, caller.account);
    // A second member cannot have the same value of a unique field.
    const free = () =>
      Object.fromEntries((resource.unique ?? []).map((field) => [field, field === 'prefix' ? `${newId()}-` : null]));
    for (const row of partOf(rows, 3)) {
      const [first, plain] = [row, { ...base, ...free() }].map((one) => ({ ...one, id: newId() }) as Versioned) as [
        Versioned,
        Versioned,
      ];
      await commit([...store.insert(first), ...store.insert(plain)]);
      await commit(store.replace(first, { ...first, ...free(), version: first.version + 1 }));
      const second = { ...row, id: plain.id, version: plain.version + 1 };
      await commit(store.replace(plain, second));
      await commit(store.replace(second, { ...second, ...free(), version: second.version + 1 }));
    }
    await readEverything(service, caller);
  });
});

test('rows with each extreme of each field: every export is completed', async () => {
  for (const [, { table, isExported }] of TRIED.filter(([, { isExported }]) => isExported)) {
    expect(isExported).toBe(true);
    await exportEverything(
      service,
      { account: `acct_${table}` },
      EXPORT_TYPES.filter((type) => type === table),
    );
  }
});

/** A prefix has one series. */
const deleteSeries = async (as: Caller): Promise<void> => {
  const { json } = await service.send('/v1/number-series?fields=id&limit=100', { as });
  for (const { id } of json.data) await service.send(`/v1/number-series/${id}`, { method: 'DELETE', as });
};

/** Only these texts are URLs that a webhook may have: the longest has 2,000 characters. */
const URLS = ['https://a.io', 'https://example.com/'.padEnd(2000, 'a'), 'https://example.com/'.padEnd(2000, '😀')];

deepTest('bodies in which each field has each of its extremes, in both versions: everything can be read', async () => {
  const caller = { account: 'acct_1' };
  const stored = new Set<string>();
  const expected = new Set<string>();
  for (const [name, operation] of operations) {
    const { method, path } = operation;
    const resource = [...readableResources.values()].find(({ collection }) => path.split('/')[1] === collection);
    // An action has a body of its own, without fields of a resource.
    if (!operation.body || !resource || path.split('/').length > 3) continue;
    for (const version of VERSIONS) {
      // An id must name a resource.
      const fields = Object.entries(resource.fields[version]).filter(
        ([field, { access }]) => access !== 'read-only' && !field.endsWith('_id'),
      );
      const values = fields.map(([field, { schema, accepts = schema, onCreate = accepts }]) => [
        field,
        field === 'url' ? URLS : extremesOf(method === 'POST' ? onCreate : accepts),
      ]);
      for (const [field] of fields) expected.add(`${name} ${version} ${field}`);
      for (const extremes of combine(Object.fromEntries(values))) {
        await resetCounters(service);
        await deleteSeries(caller);
        const { target, sent } = request(operation, version, await createPrerequisites(service, operation));
        const body = { ...(sent.body as object), ...extremes };
        const { status, text } = await service.send(target, { ...sent, body, as: caller });
        // The state can refuse a valid value, such as an amount above the amount due.
        expect([name, status < 500 || text]).toEqual([name, true]);
        if (status < 300) for (const field of Object.keys(extremes)) stored.add(`${name} ${version} ${field}`);
      }
    }
  }
  expect([...stored].sort()).toEqual([...expected].sort());
  await readEverything(service, caller);
  await checkInvariants(service, caller.account);
});

/** Subjects of tokens, with their description. */
const SUBJECTS = [
  ['1 character', 'x'],
  ['1,000 characters', 'x'.repeat(1000)],
  ['1,000 times U+FFFF', '\uffff'.repeat(1000)],
  ['1,000 characters of two code units', '😀'.repeat(1000)],
  ['quotes and control characters', ' "\u0001'],
] as const;

test.each(partOf(SUBJECTS, 5, 3))(
  'a token whose `sub` has %s: everything that it creates can be read [CONTRACT §2]',
  async (_, sub) => {
    const caller = { account: `acct_sub_${newId()}`, sub };
    for (const name of readableResources.keys()) await createNamed(service, name, caller);
    await readEverything(service, caller);
    const { json } = await service.send('/v1/events', { as: caller });
    expect(new Set(json.data.map(({ actor }: { actor: string }) => actor))).toEqual(new Set([sub]));
  },
);
