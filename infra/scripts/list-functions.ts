import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';
import { readFunctions, stackNameOf } from '#infra/operations/stacks.ts';

/*
 * node infra/scripts/list-functions.ts --stage prod: prints a line for each function of a stage: its name, and the
 * reserved executions of the deployed template, or `none`. For the commands of docs/runbook.md. It fails for a stage
 * without functions.
 */

const USAGE = 'node infra/scripts/list-functions.ts --stage <stage>';

await runOperation(async () => {
  const { stage } = parseOptions({ options: { stage: { type: 'string' } } }, USAGE).values;
  if (stage === undefined) throw new OperationError(`Expected ${USAGE}`);
  for (const { name, reserved = 'none' } of await readFunctions(stackNameOf(stage))) console.log(name, reserved);
  return 0;
});
