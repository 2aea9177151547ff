import { describe, expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf, type Table } from '#shared/platform/dynamodb/table.ts';
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

  test('the deployed tables: those of shared/invoicing/tables.ts', () => {
    expect(Object.keys(tablesByName(dev)).sort()).toEqual(Object.keys(tables).sort());
  });

  test('the indexes of a table: at most 15, of the 20 that DynamoDB permits', () => {
    for (const table of Object.values<Table>(tables)) expect(indexesOf(table).length).toBeLessThanOrEqual(15);
  });

  test.each(Object.entries<Table>(tables))('table %s: its declared keys, keys-only indexes and TTL', (name, table) => {
    const { Properties } = tablesByName(dev)[name] as Resource;
    const { partition, sort, type = 'N' } = table.key;
    const indexes = indexesOf(table);
    const types = Properties['AttributeDefinitions'].map((one: Any) => [one.AttributeName, one.AttributeType]);
    expect(Object.fromEntries(types)).toEqual({
      [partition]: 'S',
      ...(sort && { [sort]: type }),
      ...Object.fromEntries(
        indexes.flatMap((one) => [
          [one.partition, 'S'],
          [one.sort, one.type ?? 'N'],
        ]),
      ),
    });
    expect(Properties['KeySchema']).toEqual(schema(partition, sort));
    expect(Properties['GlobalSecondaryIndexes'] ?? []).toEqual(
      indexes.map((one) => ({
        IndexName: one.name,
        KeySchema: schema(one.partition, one.sort),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    );
    const expiry = table.expiry && { AttributeName: table.expiry, Enabled: true };
    expect(Properties['TimeToLiveSpecification']).toEqual(expiry);
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
