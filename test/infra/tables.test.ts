import { describe, expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import type { Table } from '#shared/platform/data/table.ts';
import { type Any, deploy, PROD, type Resource } from './deployment.ts';

const stages = { dev: deploy(), prod: deploy(PROD) };

describe('tables', () => {
  const named = ({ resources }: typeof stages.dev): Record<string, Resource> =>
    Object.fromEntries(
      Object.entries(resources)
        .filter(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable')
        .map(([id, table]) => [id.replace(/table[0-9A-F]{8}$/, ''), table]),
    );
  const schema = (hash: string, range: string | undefined) => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
  ];
  /** Every index's name, which is its partition key's, and its sort key. */
  const indexesOf = ({ key, indexes, due }: Table): [string, string | undefined][] => [
    ...indexes.map((attributes): [string, string | undefined] => [`by_${attributes.join('_')}`, key.sort]),
    ...(due ? [[`by_${due}`, due] as [string, string]] : []),
  ];

  test('are those of shared/invoicing/tables.ts', () => {
    expect(Object.keys(named(stages.dev)).sort()).toEqual(Object.keys(tables).sort());
  });

  test.each(Object.entries<Table>(tables))('have the keys, the keys-only indexes and the TTL of %s', (name, table) => {
    const { Properties } = named(stages.dev)[name] as Resource;
    const indexes = indexesOf(table);
    const types = Object.fromEntries(
      Properties['AttributeDefinitions'].map((one: Any) => [one.AttributeName, one.AttributeType]),
    );
    const texts = [table.key.partition, ...indexes.map(([name]) => name)].map((attribute) => [attribute, 'S']);
    const numbers = [table.key.sort, table.due].filter(Boolean).map((attribute) => [attribute, 'N']);
    expect(types).toEqual(Object.fromEntries([...texts, ...numbers]));
    expect(Properties['KeySchema']).toEqual(schema(table.key.partition, table.key.sort));
    expect(Properties['GlobalSecondaryIndexes'] ?? []).toEqual(
      indexes.map(([IndexName, sort]) => ({
        IndexName,
        KeySchema: schema(IndexName, sort),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
    const expiry = table.expiry && { AttributeName: table.expiry, Enabled: true };
    expect(Properties['TimeToLiveSpecification']).toEqual(expiry);
  });

  test('are on demand and encrypted', () => {
    for (const { Properties } of Object.values(named(stages.dev))) {
      expect(Properties).toMatchObject({ BillingMode: 'PAY_PER_REQUEST', SSESpecification: { SSEEnabled: true } });
    }
  });

  test.each([
    ['dev', 'Delete', false],
    ['prod', 'Retain', true],
  ] as const)('of %s: what becomes of them is %s, protection and backups %s', (stage, policy, kept) => {
    for (const table of Object.values(named(stages[stage]))) {
      expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      const [replica] = table.Properties['Replicas'];
      expect(replica.DeletionProtectionEnabled).toBe(kept);
      expect(replica.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: kept });
    }
  });
});
