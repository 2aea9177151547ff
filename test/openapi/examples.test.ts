import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { RecordedExchange } from '#shared/openapi/recorded.ts';
import { EXCHANGES } from '#shared/openapi/source.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { matrix } from '#test/support/requests/requests.ts';
import { type Exports, startExports } from '#test/support/service/exports.ts';
import { freezeTime } from './recorder.ts';
import { recordScenario } from './scenario.ts';

let service: Exports;
let exchanges: RecordedExchange[];

beforeAll(async () => {
  service = await startExports();
  freezeTime();
  exchanges = [];
  for (const version of VERSIONS) exchanges.push(...(await recordScenario(service, version)));
  if ('IS_RECORDING' in globalThis) writeFileSync(EXCHANGES, `${JSON.stringify(exchanges, null, 2)}\n`);
});
afterAll(async () => {
  jest.useRealTimers();
  await service.stop();
});

test('the recorded examples: the service’s present responses (npm run generate records them)', () => {
  expect(exchanges).toEqual(JSON.parse(readFileSync(EXCHANGES, 'utf8')));
});

test.each(matrix)('%s: an example that succeeds, and unique titles', (_, version, file) => {
  const titles = exchanges.filter((one) => one.file === file && one.version === version).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const done = exchanges.filter((one) => one.file === file && one.version === version && one.status < 400);
  expect(done.length).toBeGreaterThan(0);
});
