import { parseArgs } from 'node:util';
import { openDeployment } from '#infra/operations/deployment.ts';
import { OperationError, runOperation } from '#infra/operations/operation-error.ts';
import { RESTORED, replaceRows } from '#infra/operations/restore-tables.ts';

/*
 * npm run restore:tables -- --stage prod --execute: replaces the rows of a stage's tables by those of the tables that
 * were restored as `restored-<name>` (docs/restore.md). Without --execute, it prints the names of both.
 */

await runOperation(async () => {
  const { stage, execute } = parseArgs({ options: { stage: { type: 'string' }, execute: { type: 'boolean' } } }).values;
  if (!stage) throw new OperationError('Expected a stage: npm run restore:tables -- --stage prod [--execute]');
  const deployment = await openDeployment(stage);
  try {
    for (const name of RESTORED) {
      const rows = execute ? `: ${await replaceRows(deployment, name)} rows` : '';
      console.log(`restored-${deployment.tableNames[name]} → ${deployment.tableNames[name]}${rows}`);
    }
    return 0;
  } finally {
    deployment.close();
  }
});
