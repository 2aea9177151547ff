import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type Answer, type Service, startService } from '#test/support/service/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Sets the clock and the random number back to the creation of a resource, so that the next new id is its id. */
const rewind = ({ json }: Answer): void => {
  stopClock(Date.parse(json.created_at));
  jest.spyOn(Math, 'random').mockReturnValueOnce((json.id % IDS_PER_MILLISECOND) / IDS_PER_MILLISECOND);
};

const creations = operations.filter(([name]) => name.endsWith('/create') || name === 'webhook-endpoints/test');

test.each(creations)(
  '%s with a new id that is taken: the resource gets another id, and the older one is unchanged [CONTRACT §3]',
  async (...[, operation]) => {
    const ids = await createPrerequisites(service, operation);
    const send = () => {
      const { target, sent } = request(operation, 'v1', ids);
      return service.send(target, { ...sent, ...((sent.body as object) && { body: sent.body }) });
    };
    const first = await send();
    const path = first.headers['location'] as string;
    const before = (await service.send(path)).text;
    rewind(first);
    const second = await send();
    const succeeded = Number(Object.keys(operation.returns)[0]);
    expect([first.status, second.status]).toEqual([succeeded, succeeded]);
    expect(second.json.id).not.toBe(first.json.id);
    expect(Math.floor(second.json.id / IDS_PER_MILLISECOND)).toBe(Math.floor(first.json.id / IDS_PER_MILLISECOND));
    expect((await service.send(path)).text).toBe(before);
  },
);
