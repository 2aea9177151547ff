import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { groups } from '#test/behaviour/groups.ts';
import { startHandlers } from './handlers.ts';
import { runCheck } from './suite/run.ts';
import { type GroupService, serviceOf } from './suite/service.ts';

/** The number of files that call testGroups, so that Jest runs them at the same time. */
const PARTS = 3;

/**
 * The checks of npm run acceptance against the handlers, of every third group. A check that is skipped there fails here.
 * @param part 0 to 2
 */
export const testGroups = async (part: number): Promise<void> => {
  const handlers = await startHandlers();
  afterAll(() => handlers.stop());

  describe.each(groups.filter((_, i) => i % PARTS === part))('$name', ({ name, checks }) => {
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
};
