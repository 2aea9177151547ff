import { type ResourceName, resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { reindex } from '#shared/platform/store/reindex.ts';
import { tableNames } from '#shared/runtime/settings.ts';

/*
 * npm run rows:reindex -- <table>: gives the rows that were stored before an index existed their place in it. The variable
 * of the table, such as INVOICES_TABLE, has the name of the deployed table; region and credentials come from the
 * variables of the SDK.
 */

const isResource = (name: string): name is ResourceName => name in resources;

const [name = ''] = process.argv.slice(2);
if (!isResource(name)) {
  console.error(`Expected one of ${Object.keys(resources).join(', ')}: npm run rows:reindex -- invoices`);
  process.exit(2);
}
const client = createDynamoClient();
const context = { client, tableNames: tableNames(process.env, { uses: { [name]: [] } }) };
const changed = await reindex(context, { ...tables[name], name });
client.destroy();
console.log(`Reindexed ${changed} rows of ${name}.`);
