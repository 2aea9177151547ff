import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { run } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program whose shutdown awaits the given expression. */
const program = (finishing: string) => `
  import { onShutdown } from '#local/cli/shutdown.ts';
  setInterval(() => {}, 1000);
  onShutdown()(() => ${finishing});
  console.log('up');
`;

const exitCodeAfter = async (finishing: string, signals: readonly (NodeJS.Signals | number)[]) => {
  const running = run(ROOT, ['--input-type=module', '-e', program(finishing)]);
  await running.untilPrinted('up');
  for (const signal of signals) {
    if (typeof signal === 'number') await sleep(signal);
    else running.child.kill(signal);
  }
  return running.end();
};

const SHORT = 'new Promise((resolve) => setTimeout(resolve, 200))';
const ENDLESS = 'new Promise(() => {})';

test.each([
  ['the first SIGINT: the shutdown completes, and the exit code is 0', SHORT, ['SIGINT'], 0],
  ['SIGTERM: the shutdown completes, and the exit code is 0', SHORT, ['SIGTERM'], 0],
  ['one Ctrl-C that npm forwards as a second SIGINT: counts as the first', SHORT, ['SIGINT', 50, 'SIGINT'], 0],
  ['a second Ctrl-C: ends the process at once with 130', ENDLESS, ['SIGINT', 400, 'SIGINT'], 130],
] as const)('%s', async (_, finishing, signals, code) => {
  expect(await exitCodeAfter(finishing, signals)).toBe(code);
});
