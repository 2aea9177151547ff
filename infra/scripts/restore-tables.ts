import { parseArgs } from 'node:util';
import { withDeployment } from '#infra/operations/deployment.ts';
import { OperationError, runOperation } from '#infra/operations/operation-error.ts';
import { RESTORED, replaceRows } from '#infra/operations/restore-tables.ts';

/*
 * node infra/scripts/restore-tables.ts --stage prod --yes: replaces the rows of a stage's tables by those of the tables that
 * were restored as `restored-<name>` (docs/restore.md). Without --yes, it prints the names of both.
 */

await runOperation(async () => {
  const { stage, yes } = parseArgs({ options: { stage: { type: 'string' }, yes: { type: 'boolean' } } }).values;
  if (!stage) throw new OperationError('Expected a stage: node infra/scripts/restore-tables.ts --stage prod [--yes]');
  return withDeployment(stage, async (deployment) => {
    for (const name of RESTORED) {
      let total = { written: 0, compared: 0 };
      const [from, to] = [`restored-${deployment.tableNames[name]}`, deployment.tableNames[name]];
      if (yes)
        for await (total of replaceRows(deployment, name))
          console.error(`${to}: ${total.written} rows written, ${total.compared} compared`);
      console.log(`${from} → ${to}${yes ? `: ${total.written} rows` : ''}`);
    }
    return 0;
  });
});
