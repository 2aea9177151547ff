import { setTimeout as sleep } from 'node:timers/promises';
import { aws } from '#infra/operations/aws-cli.ts';
import { OperationError, parseOptions, runOperation } from '#infra/operations/operation-error.ts';

/*
 * node infra/scripts/watch-alarms.ts <stack> <minutes>: polls the stack's alarms, and fails when one goes off after the stack's
 * last update. It ignores alarms that were on before, because this deployment did not cause them.
 */

const USAGE = 'node infra/scripts/watch-alarms.ts invoicing-prod 15';

const POLLS = 30;

const MOST_MINUTES = 1440;

/** A new alarm fires when its metric has no data yet. Its worker reports the metric within this time. */
const FIRST_DATA_MS = 10 * 60_000;

interface Alarm {
  readonly name: string;
  readonly since: string;
}

const lastUpdateOf = async (stack: string): Promise<number> => {
  const query = 'Stacks[0].[LastUpdatedTime, CreationTime]';
  const times = await aws('cloudformation', 'describe-stacks', '--stack-name', stack, '--query', query);
  return Date.parse((times as (string | null)[]).find((time) => time !== null) as string);
};

const alarmsOf = async (stack: string): Promise<string[]> => {
  const query = "StackResourceSummaries[?ResourceType=='AWS::CloudWatch::Alarm'].PhysicalResourceId";
  return (await aws('cloudformation', 'list-stack-resources', '--stack-name', stack, '--query', query)) as string[];
};

const alarmsSince = async (names: readonly string[], start: number): Promise<Alarm[]> => {
  const query = 'MetricAlarms[].{name: AlarmName, since: StateTransitionedTimestamp}';
  const args = ['describe-alarms', '--state-value', 'ALARM', '--alarm-names', ...names, '--query', query];
  const firing = (await aws('cloudwatch', ...args)) as Alarm[];
  return firing.filter(({ since }) => Date.parse(since) >= start);
};

/** Whether an alarm fires for the first data of its metric: it had no data before. */
const isNew = async ({ name }: Alarm): Promise<boolean> => {
  const args = ['--alarm-name', name, '--history-item-type', 'StateUpdate', '--max-items', '1'];
  const query = 'AlarmHistoryItems[0].HistoryData';
  const data = (await aws('cloudwatch', 'describe-alarm-history', ...args, '--query', query)) as string | null;
  return JSON.parse(data ?? '{}').oldState?.stateValue === 'INSUFFICIENT_DATA';
};

const withoutNew = async (alarms: readonly Alarm[], start: number): Promise<Alarm[]> => {
  if (Date.now() >= start + FIRST_DATA_MS) return [...alarms];
  const areNew = await Promise.all(alarms.map(isNew));
  return alarms.filter((_, i) => !areNew[i]);
};

const watchAlarms = async (stack: string, milliseconds: number): Promise<string | undefined> => {
  const [start, names] = await Promise.all([lastUpdateOf(stack), alarmsOf(stack)]);
  if (names.length === 0) return `The stack ${stack} has no alarms.`;
  console.log(`Watching ${names.length} alarms of ${stack} for ${milliseconds / 60_000} minutes.`);
  for (let poll = 0; poll <= POLLS; poll++) {
    const alarms = await withoutNew(await alarmsSince(names, start), start);
    if (alarms.length > 0) return alarms.map(({ name, since }) => `Alarm ${name} went off at ${since}.`).join('\n');
    if (poll < POLLS) await sleep(milliseconds / POLLS);
  }
  return undefined;
};

await runOperation(async () => {
  const [stack, minutes = ''] = parseOptions({ options: {}, most: 2 }, USAGE).positionals;
  if (stack === undefined || !/^\d+(\.\d+)?$/.test(minutes) || Number(minutes) === 0 || Number(minutes) > MOST_MINUTES)
    throw new OperationError(`Expected a stack and up to ${MOST_MINUTES} minutes: ${USAGE}`);
  const alarm = await watchAlarms(stack, Number(minutes) * 60_000);
  console.log(alarm ?? 'No alarm went off.');
  return alarm === undefined ? 0 : 1;
});
