import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const TESTS = resolve(import.meta.dirname, '..');
const FILES = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.includes('node_modules/'),
);

/** Scenarios under load pass real time. */
const OF_LOAD = /^(load|deployment)\//;

const filesWith = (pattern: RegExp, except: RegExp): string[] =>
  FILES.filter((file) => !except.test(file) && pattern.test(readFileSync(join(TESTS, file), 'utf8')));

test('random numbers: come from the seed of the run', () => {
  expect(FILES.length).toBeGreaterThan(200);
  expect(filesWith(/\bMath\.random\(\)/, /^support\/extent\/seed\.ts$/)).toEqual([]);
  expect(filesWith(/from 'fast[-]check'/, /^support\/random\/fast-check\.ts$/)).toEqual([]);
});

test('no test waits a fixed time: it awaits an event, or uses test/support/waiting', () => {
  expect(filesWith(/\bsleep\([\d_]/, OF_LOAD)).toEqual([]);
  expect(filesWith(/\bsetTimeout\((resolve|done), *[\d_]/, OF_LOAD)).toEqual([]);
});
