import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { backfill, type RowKey } from '#infra/operations/backfill.ts';
import { type Deployment, withDeployment } from '#infra/operations/deployment.ts';
import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { resources } from '#shared/invoicing/index.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

const USAGE = 'npm run backfill -- <collection> [--stage <stage>] [--after <account>/<id>] [--help]';

const COLLECTIONS: readonly string[] = Object.values(resources).map(({ collection }) => collection);

const HELP = `Gives the rows of a collection that were stored before an index existed their place in it (docs/deploy.md).

  ${USAGE}

  <collection>  ${COLLECTIONS.join(', ')}
  --stage       a deployed stage, such as prod; by default the data of the running npm start
  --after       continues after this row, which an interrupted run has printed

It takes at most half of the throughput of a partition. A second run changes nothing.`;

const options = {
  stage: { type: 'string' },
  after: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const parseKey = (text: string): RowKey => {
  const [, account_id, id] = /^(.+)\/(\d+)$/.exec(text) ?? [];
  if (account_id === undefined)
    throw new OperationError(`--after must be <account>/<id>, not ${JSON.stringify(text)}.`);
  return { account_id, id: Number(id) };
};

const nameOf = (collection: string | undefined): ResourceName => {
  const [name] = Object.entries(resources).find(([, entry]) => entry.collection === collection) ?? [];
  if (name === undefined) throw new OperationError(`Expected one of ${COLLECTIONS.join(', ')}: ${USAGE}`);
  return name as ResourceName;
};

/** A scan that begins after a key without a row would leave out rows. */
const expectRow = async ({ dynamo, tableNames }: Deployment, name: ResourceName, Key: RowKey): Promise<void> => {
  const { Item } = await dynamo.send(new GetCommand({ TableName: tableNames[name], Key, ConsistentRead: true }));
  if (Item) return;
  throw new OperationError(`There is no row ${Key.account_id}/${Key.id} any more: begin again without --after.`);
};

await runOperation(async () => {
  const { values, positionals } = parseOptions({ options, most: 1 }, USAGE);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const name = nameOf(positionals[0]);
  const after = values.after === undefined ? undefined : parseKey(values.after);
  return withDeployment(values.stage, async (deployment) => {
    if (after) await expectRow(deployment, name, after);
    let total = { read: 0, changed: 0 };
    for await (const { read, changed, last } of backfill(deployment, name, after)) {
      total = { read, changed };
      if (last)
        console.error(`${read} rows read, ${changed} changed; continue with --after ${last.account_id}/${last.id}`);
    }
    console.log(`${deployment.name}: ${total.changed} of ${total.read} rows of ${resources[name].collection} changed.`);
    return 0;
  });
});
