import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { progress, removeBar } from '#local/cli/progress.ts';
import { formatLogs } from '#local/logs/terminal.ts';

/** Each text that is written during so many steps. */
const output = (steps: number, isTTY: boolean): string[] => {
  const written: string[] = [];
  const step = progress('Loading', steps, {
    isTTY,
    write: (text: string) => {
      written.push(text);
      return true;
    },
  });
  for (let i = 0; i < steps; i += 1) step();
  return written;
};

test('output that is no terminal: gets a plain line for each tenth', () => {
  expect(output(2000, false)).toEqual(
    Array.from({ length: 10 }, (_, i) => `Loading: ${((i + 1) * 200).toLocaleString('en')} of 2,000\n`),
  );
});

test('output that is no terminal, and few steps: gets a line for each step', () => {
  expect(output(3, false)).toEqual(['Loading: 1 of 3\n', 'Loading: 2 of 3\n', 'Loading: 3 of 3\n']);
});

test('a terminal: one line that is redrawn, and erased at the end', () => {
  const written = output(2000, true);
  expect(written[0]).toBe(`\rLoading ${'░'.repeat(24)} 1 of 2,000\u001b[K`);
  expect(written.at(-1)).toBe('\r\u001b[K');
  expect(written.some((text) => text.includes('\n'))).toBe(false);
});

test('a terminal and many steps: not redrawn at every step', () => {
  expect(output(100_000, true).length).toBeLessThan(1000);
});

/** A terminal that shows the bar of a task of ten steps, one of which is done. */
const terminalWithBar = () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  formatLogs(terminal);
  progress('Loading', 10, terminal)();
  const bar = terminal.read().toString();
  return { terminal, bar, printed: () => terminal.read().toString() };
};

test.each([
  ['a record', '{"level":"INFO","message":"published","events":2}\n', 'published \u001b[2mevents=2\u001b[22m\n'],
  ['a text', 'Warning: the disk is full\n', 'Warning: the disk is full\n'],
])('%s during a task: takes the place of the bar, which follows below it', (_, written, line) => {
  const { terminal, bar, printed } = terminalWithBar();
  terminal.write(written);
  expect(printed()).toBe(`\r\u001b[K${line}${bar}`);
  removeBar(terminal);
});

test('a task that ends early: its bar is erased, and later texts are unchanged', () => {
  const { terminal, printed } = terminalWithBar();
  removeBar(terminal);
  expect(printed()).toBe('\r\u001b[K');
  terminal.write('ready\n');
  expect(printed()).toBe('ready\n');
});
