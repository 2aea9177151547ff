import { describe, expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import type { Any, Resource } from './deployment.ts';
import { dev, stages } from './stages.ts';

describe('the tables', () => {
  const tablesByName = ({ resources }: typeof dev): Record<string, Resource> =>
    Object.fromEntries(
      Object.entries(resources)
        .filter(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable')
        .map(([id, table]) => [id.replace(/table[0-9A-F]{8}$/, ''), table]),
    );
  const schema = (hash: string, range: string | undefined) => [
    { AttributeName: hash, KeyType: 'HASH' },
    ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
  ];
  /** The name of each index, which is also the name of its partition key, and its sort key. */
  const indexesOf = ({ key, indexes, due, held }: Table): [string, string | undefined][] => [
    ...indexes.map((attributes): [string, string | undefined] => [`by_${attributes.join('_')}`, key.sort]),
    ...(due ? [[`by_${due}`, due] as [string, string]] : []),
    ...(held ? [[`across_${held}`, held] as [string, string]] : []),
  ];

  test('the deployed tables: those of shared/invoicing/tables.ts', () => {
    expect(Object.keys(tablesByName(dev)).sort()).toEqual(Object.keys(tables).sort());
  });

  test.each(Object.entries<Table>(tables))('table %s: its declared keys, keys-only indexes and TTL', (name, table) => {
    const { Properties } = tablesByName(dev)[name] as Resource;
    const indexes = indexesOf(table);
    const types = Object.fromEntries(
      Properties['AttributeDefinitions'].map((one: Any) => [one.AttributeName, one.AttributeType]),
    );
    const texts = [table.key.partition, ...indexes.map(([name]) => name)].map((attribute) => [attribute, 'S']);
    const numbers = [table.key.sort, table.due, table.held].filter(Boolean).map((attribute) => [attribute, 'N']);
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

  test('every table: on-demand capacity, and encrypted', () => {
    for (const { Properties } of Object.values(tablesByName(dev))) {
      expect(Properties).toMatchObject({ BillingMode: 'PAY_PER_REQUEST', SSESpecification: { SSEEnabled: true } });
    }
  });

  test.each([
    ['dev', 'Delete', false],
    ['prod', 'Retain', true],
  ] as const)('stage %s: deletion policy %s, deletion protection and backups %s', (stage, policy, isRetained) => {
    for (const table of Object.values(tablesByName(stages[stage]))) {
      expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      const [replica] = table.Properties['Replicas'];
      expect(replica.DeletionProtectionEnabled).toBe(isRetained);
      expect(replica.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: isRetained });
    }
  });
});
