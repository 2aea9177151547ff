import { withDeployment } from '#infra/operations/deployment.ts';
import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { checkRestoredTables, RESTORED, replaceRows, restoredName } from '#infra/operations/restore-tables.ts';

/*
 * Replaces the rows of a stage's tables by the rows of tables that were restored to a time (docs/runbook.md). Without
 * --yes, it prints the names of both tables, one pair a line.
 */

const USAGE = 'node infra/scripts/restore-tables.ts --stage <stage> --time <time> [--deleted] [--yes]';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const parseTime = (given: string | undefined): Date => {
  const time = new Date(given ?? '');
  const isExact = !Number.isNaN(time.getTime()) && time.toISOString() === given?.replace('Z', '.000Z');
  if (isExact && time.getTime() < Date.now()) return time;
  throw new OperationError(`--time must be a past time such as 2026-11-22T10:00:00Z, not ${given}. Expected: ${USAGE}`);
};

await runOperation(async () => {
  const options = { stage: text, time: text, deleted: flag, yes: flag };
  const { stage, yes, ...values } = parseOptions({ options }, USAGE).values;
  if (!stage) throw new OperationError(`Expected a stage: ${USAGE}`);
  const time = parseTime(values.time);
  return withDeployment(stage, async (deployment) => {
    if (yes) await checkRestoredTables(deployment, { time, isDeleted: values.deleted });
    for (const name of RESTORED) {
      let total = { written: 0, compared: 0 };
      const to = deployment.tableNames[name];
      const from = restoredName(to, time);
      if (yes)
        for await (total of replaceRows(deployment, name, from))
          console.error(`${to}: ${total.written} rows written, ${total.compared} compared`);
      console.log(`${from} → ${to}${yes ? `: ${total.written} rows` : ''}`);
    }
    return 0;
  });
});
