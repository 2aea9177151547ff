import * as resources from '#shared/invoicing/row-checks.ts';
import type { TableName } from '#shared/invoicing/tables.ts';
import { checkedTables } from '#shared/lambda/settings.ts';
import type { Access, RowChecks } from '#shared/platform/data/client.ts';
import { FEED } from '#shared/platform/data/feed-access.ts';
import { PAGES } from '#shared/platform/data/page-access.ts';

/** The resource of each table whose rows are written. */
export const CHECKS: RowChecks = resources;

/** What the bundle of a declaration contains of the data layer; only its checks depend on the declaration. */
export const accessOf = (declared: { readonly uses: object }): Access => {
  const isChecked = checkedTables(declared);
  const checks = Object.fromEntries(Object.entries(CHECKS).filter(([table]) => isChecked.includes(table as TableName)));
  return { feed: FEED, pages: PAGES, checks };
};
