import { describe, expect, test } from '@jest/globals';
import { type Table, tables } from '#shared/data/tables.ts';
import { type Any, deploy, PROD, type Resource } from './deployment.ts';

const stages = { dev: deploy(), prod: deploy(PROD) };

describe('tables', () => {
  const named = ({ resources }: typeof stages.dev): Record<string, Resource> =>
    Object.fromEntries(
      Object.entries(resources)
        .filter(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable')
        .map(([id, table]) => [id.replace(/table[0-9A-F]{8}$/, ''), table]),
    );
  const schema = (hash: string, { key }: Table) => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(key.sort ? [{ AttributeName: key.sort, KeyType: 'RANGE' }] : []),
  ];

  test('are those of shared/data/tables.ts', () => {
    expect(Object.keys(named(stages.dev)).sort()).toEqual(Object.keys(tables).sort());
  });

  test.each(Object.entries<Table>(tables))('have the keys, the keys-only indexes and the TTL of %s', (name, table) => {
    const { Properties } = named(stages.dev)[name] as Resource;
    const indexes = table.indexes.map((attributes) => `by_${attributes.join('_')}`);
    const types = Object.fromEntries(
      Properties['AttributeDefinitions'].map((one: Any) => [one.AttributeName, one.AttributeType]),
    );
    const texts = [table.key.partition, ...indexes].map((attribute) => [attribute, 'S']);
    expect(types).toEqual({ ...Object.fromEntries(texts), ...(table.key.sort && { [table.key.sort]: 'N' }) });
    expect(Properties['KeySchema']).toEqual(schema(table.key.partition, table));
    expect(Properties['GlobalSecondaryIndexes'] ?? []).toEqual(
      indexes.map((IndexName) => ({
        IndexName,
        KeySchema: schema(IndexName, table),
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
