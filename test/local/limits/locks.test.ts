import { expect, test } from '@jest/globals';
import type { Verb } from '#local/engines/limits/actions.ts';
import { Locks } from '#local/engines/limits/locks.ts';
import type { Touched } from '#local/engines/limits/touched.ts';

// "Transaction conflict handling" of the DynamoDB Developer Guide (transaction-apis).

const touched = (verb: Verb): readonly [Touched] => [
  { action: { verb, TableName: 'invoices' }, item: 'invoices 1', table: [], indexes: new Map() },
];

interface Operation {
  readonly verb: Verb;
  readonly isTransaction: boolean;
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  PutItem: { verb: 'Put', isTransaction: false },
  UpdateItem: { verb: 'Update', isTransaction: false },
  DeleteItem: { verb: 'Delete', isTransaction: false },
  TransactWriteItems: { verb: 'Put', isTransaction: true },
  'ConditionCheck of TransactWriteItems': { verb: 'ConditionCheck', isTransaction: true },
  TransactGetItems: { verb: 'Get', isTransaction: true },
  GetItem: { verb: 'Get', isTransaction: false },
};

const REFUSED_DURING: Readonly<Record<string, readonly string[]>> = {
  TransactWriteItems: [
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'TransactWriteItems',
    'ConditionCheck of TransactWriteItems',
    'TransactGetItems',
  ],
  'ConditionCheck of TransactWriteItems': [
    'PutItem',
    'UpdateItem',
    'DeleteItem',
    'TransactWriteItems',
    'ConditionCheck of TransactWriteItems',
    'TransactGetItems',
  ],
  PutItem: ['TransactGetItems'],
  UpdateItem: ['TransactGetItems'],
  DeleteItem: ['TransactGetItems'],
  TransactGetItems: [],
  GetItem: [],
};

test.each(Object.keys(OPERATIONS))(
  'an item of %s in progress: refused to the operations of the documentation',
  (name) => {
    const locks = new Locks();
    const { verb, isTransaction } = OPERATIONS[name] as Operation;
    const release = locks.hold(touched(verb), isTransaction);
    const refused = () =>
      Object.keys(OPERATIONS).filter((other) => {
        const one = OPERATIONS[other] as Operation;
        return locks.conflicts(touched(one.verb)[0], one.isTransaction);
      });
    expect(refused()).toEqual(REFUSED_DURING[name]);
    release();
    expect(refused()).toEqual([]);
  },
);
