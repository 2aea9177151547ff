import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/*
 * npm run watch:alarms -- <stack> <minutes>: looks at the alarms of a stack, and fails as soon as one has gone off since the
 * stack was last updated. One that was on before does not count: it is not this deployment's doing.
 */

const CHECKS = 30;

/** Calls the AWS CLI, with the credentials of the environment. */
const aws = async (...args: readonly string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)('aws', [...args, '--output', 'json']);
  return JSON.parse(stdout);
};

interface Alarm {
  readonly name: string;
  readonly since: string;
}

const isNewer = async (stack: string): Promise<number> => {
  const query = 'Stacks[0].[LastUpdatedTime, CreationTime]';
  const times = await aws('cloudformation', 'describe-stacks', '--stack-name', stack, '--query', query);
  return Date.parse((times as (string | null)[]).find((time) => time !== null) as string);
};

const alarmsOf = async (stack: string): Promise<string[]> => {
  const query = "StackResourceSummaries[?ResourceType=='AWS::CloudWatch::Alarm'].PhysicalResourceId";
  return (await aws('cloudformation', 'list-stack-resources', '--stack-name', stack, '--query', query)) as string[];
};

const isGone = async (names: readonly string[], from: number): Promise<Alarm[]> => {
  const query = 'MetricAlarms[].{name: AlarmName, since: StateTransitionedTimestamp}';
  const args = ['describe-alarms', '--state-value', 'ALARM', '--alarm-names', ...names, '--query', query];
  const on = (await aws('cloudwatch', ...args)) as Alarm[];
  return on.filter(({ since }) => Date.parse(since) >= from);
};

const watchAlarms = async (stack: string, milliseconds: number): Promise<string | undefined> => {
  const [from, names] = await Promise.all([isNewer(stack), alarmsOf(stack)]);
  if (names.length === 0) return `${stack} has no alarm to watch.`;
  console.log(`Watching ${names.length} alarms of ${stack}.`);
  for (let look = 0; look <= CHECKS; look++) {
    const alarms = await isGone(names, from);
    if (alarms.length > 0) return alarms.map(({ name, since }) => `${name} has gone off at ${since}.`).join('\n');
    if (look < CHECKS) await sleep(milliseconds / CHECKS);
  }
  return undefined;
};

const [stack, minutes] = process.argv.slice(2);
if (!stack || !(Number(minutes) > 0)) {
  console.error('Expected a stack and for how long: npm run watch:alarms -- invoicing-prod 15');
  process.exit(2);
}
const alarm = await watchAlarms(stack, Number(minutes) * 60_000);
console.log(alarm ?? 'None has gone off.');
process.exitCode = alarm === undefined ? 0 : 1;
