import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { groups } from '#test/behaviour/groups.ts';
import { startHandlers } from './handlers.ts';
import { runCheck } from './suite/run.ts';
import { type GroupService, serviceOf } from './suite/service.ts';

/** The checks of npm run acceptance against the handlers. A check that is skipped there fails here. */

const handlers = await startHandlers();
afterAll(() => handlers.stop());

describe.each(groups)('$name', ({ name, checks }) => {
  let service: GroupService;
  beforeAll(() => {
    service = serviceOf(handlers, name);
  });
  afterAll(() => service.endGroup());

  // Every third one, so that both versions have some: npm run test:e2e makes all of them.
  test.each(checks.filter((_, i) => i % 3 === 0))('$title [$clause]', async (check) => {
    const { outcome, reason } = await runCheck(name, check, service);
    if (outcome !== 'passed') throw new Error(reason);
  });
});

test('the titles of a group’s checks and the names of groups: are unique', () => {
  const titles = groups.flatMap(({ name, checks }) =>
    checks.map(({ clause, title }) => `${name}: ${title} [${clause}]`),
  );
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
  expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
});
