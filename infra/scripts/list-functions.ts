import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { readFunctionNames, stackNameOf } from '#infra/operations/stacks.ts';

/*
 * node infra/scripts/list-functions.ts --stage prod: prints the names of a stage's functions, one a line, for the commands of
 * docs/runbook.md and docs/restore.md. It fails if there are none.
 */

const USAGE = 'node infra/scripts/list-functions.ts --stage <stage>';

await runOperation(async () => {
  const { stage } = parseOptions({ options: { stage: { type: 'string' } } }, USAGE).values;
  if (stage === undefined) throw new OperationError(`Expected ${USAGE}`);
  for (const name of await readFunctionNames(stackNameOf(stage))) console.log(name);
  return 0;
});
