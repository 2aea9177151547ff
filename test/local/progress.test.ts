import { expect, test } from '@jest/globals';
import { progress } from '#local/cli/progress.ts';

/** What is written for so many steps, piece by piece. */
const shown = (steps: number, isTTY: boolean): string[] => {
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

test('elsewhere than on a terminal it is a plain line for each tenth', () => {
  expect(shown(2000, false)).toEqual(
    Array.from({ length: 10 }, (_, i) => `Loading: ${((i + 1) * 200).toLocaleString('en')} of 2,000\n`),
  );
});

test('of few steps there is a line for each', () => {
  expect(shown(3, false)).toEqual(['Loading: 1 of 3\n', 'Loading: 2 of 3\n', 'Loading: 3 of 3\n']);
});

test('on a terminal it is one line, drawn over itself and gone at the end', () => {
  const written = shown(2000, true);
  expect(written[0]).toBe(`\rLoading ${'░'.repeat(24)} 1 of 2,000\u001b[K`);
  expect(written.at(-1)).toBe('\r\u001b[K');
  expect(written.some((text) => text.includes('\n'))).toBe(false);
});

test('a terminal is not drawn on for every step', () => {
  expect(shown(100_000, true).length).toBeLessThan(1000);
});
