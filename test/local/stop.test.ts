import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { run } from './command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Finishes after a while, or never. */
const program = (finishing: string) => `
  import { onStop } from '#local/cli/shutdown.ts';
  setInterval(() => {}, 1000);
  onStop()(() => ${finishing});
  console.log('up');
`;

const signalled = async (finishing: string, signals: readonly (NodeJS.Signals | number)[]) => {
  const running = run(ROOT, ['--input-type=module', '-e', program(finishing)]);
  await running.printed('up');
  for (const signal of signals) {
    if (typeof signal === 'number') await sleep(signal);
    else running.child.kill(signal);
  }
  return running.end();
};

const SOON = 'new Promise((resolve) => setTimeout(resolve, 200))';
const NEVER = 'new Promise(() => {})';

test.each([
  ['the first SIGINT lets it finish', SOON, ['SIGINT'], 0],
  ['so does SIGTERM', SOON, ['SIGTERM'], 0],
  ['one Ctrl-C that npm passes on is still the first', SOON, ['SIGINT', 50, 'SIGINT'], 0],
  ['a second Ctrl-C forces it', NEVER, ['SIGINT', 400, 'SIGINT'], 130],
] as const)('%s', async (_, finishing, signals, code) => {
  expect(await signalled(finishing, signals)).toBe(code);
});
