import { afterAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { drawRequest, Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import { startService } from '#test/support/service/local-service.ts';
import { makers } from '#test/support/service/makers.ts';
import { follow, readResource, SUBJECTS } from '#test/support/state/feed.ts';

/*
 * A reader holds a copy of an account, which it builds from the feed alone: it reads what an event names (CONTRACT §14).
 * Meanwhile, clients send random requests. `RUNS=300 npm test -- test/resilience/events/follower --selectProjects deep` is the full extent; `SEED`
 * repeats the requests, but not their order in a race.
 */

const RUNS = extent({ full: 8, part: 1 });
const COMMANDS = 40;
/** The least number of changes in a run: until so many have succeeded, more requests are sent. */
const MIN_WRITES = 4;
const CLIENTS = 4;

const service = await startService();
afterAll(() => service.stop());

/** Some fields of an export or of a number series change without an event. */
const isCopied = (type: string): boolean => !SUBJECTS.get(type)?.events?.progress;

/** The text of each resource, by its type and id. */
type Copy = Map<string, string>;

/** Reads the events after a cursor, and brings the copy up to date. */
const update = async (copy: Copy, account_id: string, after: string | null, limit: number): Promise<string | null> => {
  const caller = { account: account_id };
  const { events, cursor } = await follow(service, caller, { after, limit });
  for (const { resource_type, resource_id } of events.filter((event) => isCopied(event.resource_type))) {
    const state = await readResource(service, caller, resource_type, resource_id);
    if (state) copy.set(`${resource_type} ${resource_id}`, state.text);
    else copy.delete(`${resource_type} ${resource_id}`);
  }
  return cursor;
};

/** The text of each resource of an account. */
const readAccount = async (account_id: string): Promise<Copy> => {
  const caller = { account: account_id };
  const account: Copy = new Map();
  for (const [type, { collection }] of SUBJECTS)
    if (isCopied(type))
      for (const { id } of await makers(service, caller).list(`/v1/${collection}?limit=100&fields=id`)) {
        const state = await readResource(service, caller, type, id);
        if (state) account.set(`${type} ${id}`, state.text);
      }
  return account;
};

test(`${RUNS} runs of ${COMMANDS} random requests: the copy is byte-identical to the account`, async () => {
  for (let run = 0; run < RUNS; run++) {
    const account_id = `run_${run}`;
    const chance = chances(SEED + run);
    const pool = new Pool();
    const copy: Copy = new Map();
    let isWriting = true;
    let writes = 0;
    const client = async () => {
      for (let command = 0; command < COMMANDS / CLIENTS || writes < MIN_WRITES; command++) {
        const [, version, , operation] = pick(chance, weightedMatrix);
        const { target, sent } = drawRequest(operation, version, pool, chance);
        const answer = await service.send(target, { ...sent, as: { account: account_id } });
        expect([target, answer.status < 500]).toEqual([target, true]);
        pool.add(operation, answer);
        if (sent.method !== 'GET' && answer.status < 300) writes++;
      }
    };
    const reader = async () => {
      let cursor: string | null = null;
      while (isWriting) cursor = await update(copy, account_id, cursor, 3);
      return update(copy, account_id, cursor, 3);
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    await Promise.all([
      clients.finally(() => {
        isWriting = false;
      }),
      reader(),
    ]);
    expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(await readAccount(account_id)));
  }
});
