import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { insertionsOf } from '#infra/scripts/new/templates.ts';
import { wordsOf } from '#infra/scripts/new/words.ts';

test.each([
  ['purchase-orders', 'purchase_order', 'PurchaseOrder', 'purchaseOrders', 'a purchase order', false],
  ['invoices', 'invoice', 'Invoice', 'invoices', 'an invoice', false],
  ['tax-policies', 'tax_policy', 'TaxPolicy', 'taxPolicies', 'a tax policy', true],
  ['tax-boxes', 'tax_box', 'TaxBox', 'taxBoxes', 'a tax box', true],
])('a plural noun, %s: type %s, name %s, store %s', (collection, type, name, store, one, isIrregular) => {
  expect(wordsOf(collection)).toMatchObject({ collection, type, name, store, one, isIrregular });
});

test.each(['', 'purchase-order', 'purchaseOrders', 'purchase_orders', '../notes', '-notes', 'purchase--orders'])(
  'an argument that is no plural noun, %j: refused',
  (argument) => {
    expect(() => wordsOf(argument)).toThrow('is not a plural noun such as purchase-orders.');
  },
);

test('the lines of a new resource: each list contains their place once', () => {
  for (const { path, before } of insertionsOf(wordsOf('purchase-orders'))) {
    expect([path, before, readFileSync(path, 'utf8').split(before).length]).toEqual([path, before, 2]);
  }
});
