import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Collections } from '#shared/data/stores.ts';
import { indexName, type TableName, tables } from '#shared/data/tables.ts';
import type { Operation } from '#shared/http/endpoint.ts';
import { tablesOf } from '#shared/settings.ts';
import type { Deployed } from './tables.ts';

/** A method of a store. */
type Verb = { [S in keyof Collections]: keyof Collections[S] & string }[keyof Collections];

/** Actions of DynamoDB: on the table, and on its indexes. */
interface Actions {
  readonly table: readonly string[];
  readonly indexes?: readonly string[];
}

/** What a store sends for each of its methods. A transaction asks for the actions of its items, and no more. */
const verbs: Readonly<Record<Verb, Actions>> = {
  get: { table: ['GetItem'] },
  find: { table: ['BatchGetItem'] },
  list: { table: ['Query', 'BatchGetItem'], indexes: ['Query'] },
  rows: { table: ['Query'] },
  insert: { table: ['PutItem'] },
  replace: { table: ['UpdateItem'] },
  confirm: { table: ['UpdateItem', 'ConditionCheckItem'] },
  remove: { table: ['DeleteItem'] },
  discard: { table: ['DeleteItem'] },
  count: { table: ['UpdateItem'] },
};

/** The commit puts the record of an answer; a refused request looks for its twin's. */
const RECORD: Actions = { table: ['PutItem', 'GetItem'] };

const needs = ({ uses }: Pick<Operation, 'uses'>, table: TableName): readonly Actions[] =>
  table === 'idempotency' ? [RECORD] : (uses[table] ?? []).map((verb) => verbs[verb]);

const allow = (needed: readonly Actions[], on: keyof Actions, resources: string[]): PolicyStatement[] => {
  const actions = new Set(needed.flatMap((each) => each[on] ?? []));
  if (actions.size === 0 || resources.length === 0) return [];
  return [new PolicyStatement({ actions: [...actions].map((action) => `dynamodb:${action}`), resources })];
};

/** The statements for an operation: what the methods it names ask of its tables, and nothing else (§5). */
export const grantsOf = (operation: Pick<Operation, 'uses' | 'route'>, deployed: Deployed): PolicyStatement[] =>
  tablesOf(operation).flatMap((table) => {
    const { tableArn } = deployed[table];
    const needed = needs(operation, table);
    const indexes = tables[table].indexes.map((attributes) => `${tableArn}/index/${indexName(attributes)}`);
    return [...allow(needed, 'table', [tableArn]), ...allow(needed, 'indexes', indexes)];
  });
