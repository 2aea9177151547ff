import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { type RunningCommand, run } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program whose shutdown awaits the given expression, and whose clock shows these times, one for each signal. */
const program = (finishing: string, times: readonly number[]) => `
  import { onShutdown } from '#local/cli/shutdown.ts';
  const times = ${JSON.stringify(times)};
  performance.now = () => times.shift();
  let signals = 0;
  setInterval(() => {}, 1000);
  onShutdown().setCleanup(() => ${finishing});
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log('signal ' + ++signals));
  console.log('up');
`;

let running: RunningCommand | undefined;
afterEach(() => {
  running?.child.kill('SIGKILL');
});

/** Sends each signal after the program has handled the one before it. */
const outcomeOf = async (finishing: string, signals: readonly NodeJS.Signals[], times: readonly number[]) => {
  running = run(ROOT, ['--input-type=module', '-e', program(finishing, times)]);
  await running.untilPrinted('up\n');
  for (const [i, signal] of signals.entries()) {
    running.child.kill(signal);
    if (i < signals.length - 1) await running.untilPrinted(`signal ${i + 1}\n`);
  }
  return { code: await running.end(), hasFinished: running.out.stdout.includes('finished') };
};

/** Ends at the next signal. */
const UNTIL_NEXT = "new Promise((resolve) => process.once('SIGINT', resolve)).then(() => console.log('finished'))";
const ENDLESS = 'new Promise(() => {})';

test.each([
  [
    'one Ctrl-C that npm forwards as a second SIGINT: counts as the first',
    UNTIL_NEXT,
    ['SIGINT', 'SIGINT'],
    [0, 249],
    0,
  ],
  ['a second Ctrl-C: ends the process at once with 130', ENDLESS, ['SIGINT', 'SIGINT'], [0, 250], 130],
] as const)('%s', async (_, finishing, signals, times, code) => {
  expect(await outcomeOf(finishing, signals, times)).toEqual({ code, hasFinished: code === 0 });
});
