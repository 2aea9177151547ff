import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Exchange } from '#shared/openapi/recorded.ts';
import { EXCHANGES } from '#shared/openapi/source.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { type Exports, startExports } from '#test/support/exports.ts';
import { matrix } from '#test/support/requests.ts';
import { story } from './story.ts';
import { freeze } from './teller.ts';

let service: Exports;
let told: Exchange[];

beforeAll(async () => {
  service = await startExports();
  freeze();
  told = [];
  for (const version of VERSIONS) told.push(...(await story(service, version)));
  if (process.env['RECORD']) writeFileSync(EXCHANGES, `${JSON.stringify(told, null, 2)}\n`);
});
afterAll(async () => {
  jest.useRealTimers();
  await service.stop();
});

test('every example of the document is what the service answers today (npm run openapi:record records them)', () => {
  expect(told).toEqual(JSON.parse(readFileSync(EXCHANGES, 'utf8')));
});

test.each(matrix)('%s has an example that succeeds, and its title is its own', (_, version, file) => {
  const titles = told.filter((one) => one.file === file && one.version === version).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const done = told.filter((one) => one.file === file && one.version === version && one.status < 400);
  expect(done.length).toBeGreaterThan(0);
});
