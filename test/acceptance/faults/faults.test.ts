import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { faults } from './index.ts';

const source = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test('at least 80 faults, each with its own description', () => {
  expect(new Set(faults.map(([, [what]]) => what)).size).toBe(faults.length);
  expect(faults.length).toBeGreaterThanOrEqual(80);
});

describe('a fault can be planted: its text occurs once in its file', () => {
  test.each(faults.map(([file, [what, from, to]]) => [what, file, from, to] as const))('%s', (_, file, from, to) => {
    expect([source(file).split(from).length, from === to]).toEqual([2, false]);
  });
});
