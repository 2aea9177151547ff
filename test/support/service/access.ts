import * as resources from '#shared/invoicing/row-checks.ts';
import type { TableName } from '#shared/invoicing/tables.ts';
import type { DynamoContext, RowChecks } from '#shared/platform/dynamodb/client.ts';
import { checkedTables } from '#shared/runtime/settings.ts';

/** The resource of each table whose rows are written. */
export const CHECKS: RowChecks = resources;

/** The checks that the bundle of a declaration contains. */
export const accessOf = (declared: { readonly uses: object }): Pick<DynamoContext, 'checks'> => {
  const isChecked = checkedTables(declared);
  const checks = Object.fromEntries(Object.entries(CHECKS).filter(([table]) => isChecked.includes(table as TableName)));
  return { checks };
};
