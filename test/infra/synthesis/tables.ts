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
  /** The name of each index, its sort key, and its partition key if it has not the name of the index. */
  const indexesOf = ({ key, indexes, due }: Table): [string, string | undefined, string?][] => [
    ...indexes.map(({ filters, by }): [string, string | undefined, string] => {
      const partition = `by_${filters.join('_')}`;
      return by ? [`${partition}_then_${by}`, `${by}_id`, partition] : [partition, key.sort, partition];
    }),
    ...(due ? [[`by_${due}`, due] as [string, string]] : []),
  ];

  test('the deployed tables: those of shared/invoicing/tables.ts', () => {
    expect(Object.keys(tablesByName(dev)).sort()).toEqual(Object.keys(tables).sort());
  });

  test('the indexes of a table: at most 15, of the 20 that DynamoDB permits', () => {
    for (const table of Object.values<Table>(tables)) expect(indexesOf(table).length).toBeLessThanOrEqual(15);
  });

  test.each(Object.entries<Table>(tables))('table %s: its declared keys, keys-only indexes and TTL', (name, table) => {
    const { Properties } = tablesByName(dev)[name] as Resource;
    const indexes = indexesOf(table);
    const types = Object.fromEntries(
      Properties['AttributeDefinitions'].map((one: Any) => [one.AttributeName, one.AttributeType]),
    );
    const dates = table.indexes.flatMap(({ by }) => (by ? [`${by}_id`] : []));
    const texts = [table.key.partition, ...indexes.map(([name, , partition = name]) => partition), ...dates].map(
      (each) => [each, 'S'],
    );
    const { sort, type = 'N' } = table.key;
    const numbers = [table.due].filter(Boolean).map((attribute) => [attribute, 'N']);
    expect(types).toEqual(Object.fromEntries([...texts, ...numbers, ...(sort ? [[sort, type]] : [])]));
    expect(Properties['KeySchema']).toEqual(schema(table.key.partition, table.key.sort));
    expect(Properties['GlobalSecondaryIndexes'] ?? []).toEqual(
      indexes.map(([IndexName, sort, partition = IndexName]) => ({
        IndexName,
        KeySchema: schema(partition, sort),
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
