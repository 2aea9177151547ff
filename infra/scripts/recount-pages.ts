import { type ResourceName, resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import { PageIndex } from '#shared/platform/page-index/page-index.ts';
import { tableNames } from '#shared/runtime/settings.ts';

/*
 * npm run pages:recount -- <account> <table>: asks the worker that seals pages to count all sealed rows of a collection
 * again, and to correct its page index. PAGES_TABLE is the name of the deployed table; region and credentials come
 * from the variables of the SDK.
 */

const isIndexed = (name: string): name is ResourceName =>
  name in resources && (tables as Record<string, Table>)[name]?.isIndexed === true;

const [account, name] = process.argv.slice(2);
if (!account || !name || !isIndexed(name)) {
  const names = Object.keys(resources).filter(isIndexed).join(', ');
  console.error(`Expected an account and one of ${names}: npm run pages:recount -- acct_1 invoices`);
  process.exit(2);
}
const client = createDynamoClient();
const context = { client, tableNames: tableNames(process.env, { uses: { pages: [] } }) };
await new PageIndex(context, { ...tables[name], name }, account).request({ recount_from: 0 });
client.destroy();
console.log(`Requested. The worker counts the ${name} of ${account} at its next run, within a minute.`);
