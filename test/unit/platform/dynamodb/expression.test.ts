import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from '@jest/globals';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';
import { startData } from '#test/unit/platform/engine.ts';

const name = fc.oneof(
  fc.constantFrom('id', 'status', 'size', 'a.b', 'a[0]', 'a-b', 'a b', '#0', ':0', ') OR (x', 'ä😀', '', ...INHERITED),
  fc.string(),
);
const value = fc.oneof(fc.constantFrom<unknown>(null, 1, 'x', ') OR (x', '#id', ':0'), fc.string());

/** The words of an expression that are no placeholders. */
const VOCABULARY = 'SET ADD REMOVE AND OR attribute_exists attribute_not_exists ( ) , = <= >='.split(' ');
const PLACEHOLDER = /[#:][A-Za-z0-9_]+/g;

/** The names and values of an expression, in their order. Expects every other word to be in the vocabulary. */
const operandsOf = (expression: Expression, text: string): unknown[] => {
  const words = text.replace(PLACEHOLDER, ' ').replace(/[(),]/g, ' $& ').split(/\s+/).filter(Boolean);
  expect(words.filter((word) => !VOCABULARY.includes(word))).toEqual([]);
  const { ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = expression.placeholders();
  const known: Record<string, unknown> = { ...ExpressionAttributeNames, ...ExpressionAttributeValues };
  const used = text.match(PLACEHOLDER) ?? [];
  // DynamoDB rejects a placeholder that no expression uses.
  expect(Object.keys(known).sort()).toEqual([...new Set<string>(used)].sort());
  return used.map((one) => known[one]);
};

const attributes = fc.uniqueArray(name, { minLength: 1, maxLength: 5 });
const values = fc
  .uniqueArray(fc.tuple(name, value), { minLength: 1, maxLength: 4, selector: ([one]) => one })
  .map((pairs) => Object.fromEntries(pairs));

test('a projection of any attributes, also repeated ones: names each by one placeholder [CONTRACT §6]', () => {
  fc.assert(
    fc.property(attributes, attributes, (names, others) => {
      const expression = new Expression();
      const text = expression.projection([...names, ...others, ...names]);
      expect(operandsOf(expression, text)).toEqual([...new Set([...names, ...others])]);
    }),
  );
});

const clause: fc.Arbitrary<Clause> = fc.oneof(
  fc.tuple(name, fc.constantFrom('absent' as const, 'present' as const)),
  fc.tuple(name, fc.constantFrom('=' as const, '<=' as const, '>=' as const), value),
);

test('a condition on any attributes and values: names them by placeholders only', () => {
  fc.assert(
    fc.property(fc.array(clause, { minLength: 1, maxLength: 4 }), (clauses) => {
      const expression = new Expression();
      const expected = clauses.flatMap(([attribute, , operand]) =>
        operand === undefined ? [attribute] : [attribute, operand],
      );
      expect(operandsOf(expression, expression.condition({ clauses }))).toEqual(expected);
    }),
  );
});

test('a condition: all clauses must hold, or one with `match`', () => {
  const clauses = ['id', 'status'].map((name) => [name, 'absent'] as const);
  const [id, status] = ['attribute_not_exists(#0)', 'attribute_not_exists(#1)'];
  expect(new Expression().condition({ clauses })).toBe(`${id} AND ${status}`);
  expect(new Expression().condition({ clauses, match: 'any' })).toBe(`${id} OR ${status}`);
});

test('an update of any attributes: names them by placeholders only', () => {
  fc.assert(
    fc.property(values, attributes, values, (set, remove, add) => {
      const expression = new Expression();
      const expected = [...Object.entries(set).flat(), ...Object.entries(add).flat(), ...remove];
      expect(operandsOf(expression, expression.update({ set, remove, add }))).toEqual(expected);
    }),
  );
});

const data = await startData();
afterAll(() => data.stop());

test('attributes of any name in an update, a condition and a projection: the engine accepts them', async () => {
  const Key = { account_id: 'acct_1', id: 1 };
  const names = ['size', 'status', 'a.b', 'a[0]', 'a-b', 'a b', '#0', ':0', 'constructor', 'ä😀'];
  await data.put('customers', 'acct_1', { id: 1 });
  for (const [i, attribute] of names.entries()) {
    const expression = new Expression();
    const update = new UpdateCommand({
      TableName: 'customers',
      Key,
      ConditionExpression: expression.condition({
        clauses: [
          [attribute, 'absent'],
          ['id', '=', 1],
        ],
      }),
      UpdateExpression: expression.update({ set: { [attribute]: i } }),
      ...expression.placeholders(),
    });
    await data.client.send(update);
    const projection = new Expression();
    const get = { ProjectionExpression: projection.projection([attribute]), ...projection.placeholders() };
    const { Item } = await data.client.send(new GetCommand({ TableName: 'customers', Key, ...get }));
    expect(Item).toEqual({ [attribute]: i });
  }
});
