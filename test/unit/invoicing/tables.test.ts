import { expect, test } from '@jest/globals';
import { named } from '#shared/invoicing/naming.ts';
import { toIndexes } from '#shared/invoicing/tables.ts';

test('an index that no list reads yet: rows are written to it, and its filters are no parameters', () => {
  const { orders } = named({ orders: { indexes: [['status']], unreadIndexes: [['status', 'type']] } });
  expect(toIndexes(orders)).toMatchObject([{ filters: ['status'] }, { filters: ['status', 'type'] }]);
  expect(orders.filters).toEqual(['status']);
});
