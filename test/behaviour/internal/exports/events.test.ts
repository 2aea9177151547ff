import { describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { type Exports, forEachTest } from '#test/support/service/exports.ts';
import type { Makers } from '#test/support/service/makers.ts';
import { differences, follow, type ResourceState, readResource } from '#test/support/state/feed.ts';

let service: Exports;
let account_id: string;
let make: Makers;
let watched: number | undefined;
/** Each state of the export, by version, as GET returned it right after the worker's commit. */
const states = new Map<number, ResourceState>();

const watch = async () => {
  if (watched === undefined) return;
  const state = await readResource(service, { account: account_id }, 'export', watched);
  if (state) states.set(state.version, state);
};

forEachTest((...own) => {
  [service, account_id, make] = own;
  states.clear();
  watched = undefined;
  service.own.dynamo.middlewareStack.add(
    (next, context) => async (call) => {
      const result = await next(call);
      if (/^(Update|TransactWrite)/.test(String(context.commandName))) await watch();
      return result;
    },
    { step: 'initialize', priority: 'high', name: 'watch', override: true },
  );
});

describe('the events of the export worker [CONTRACT §14]', () => {
  const SMALL_PARTS: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => exportFile(message, stores, 1),
  };

  const begin = async (): Promise<number> => {
    for (const name of ['Ada', 'Bob', 'Cyd']) await make.customer({ name });
    const { id } = await make.export();
    watched = id;
    await watch();
    return id;
  };

  /** Checks the events of the export after its creation against its states, and returns their types. */
  const checkEvents = async (id: number, actors: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    await watch();
    const { events } = await follow(service, { account: account_id }, { parameters: `&resource_id=${id}` });
    const [{ request_id: created } = { request_id: '' }, ...others] = events;
    for (const [i, { version, changed, ...event }] of others.entries()) {
      const before = events[i]?.version as number;
      const [old, now] = [states.get(before), states.get(version)] as [ResourceState, ResourceState];
      expect([event.type, changed]).toEqual([event.type, differences(old, now)]);
      expect(now.body['status']).toBe(event.type.split('.')[1]);
      expect([event.actor, event.request_id === created]).toEqual([actors[event.type] ?? null, false]);
    }
    return events.map(({ type }) => type);
  };

  test('a job in one attempt: has the events created, running and completed', async () => {
    const id = await begin();
    await service.drain();
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job in several attempts: its progress and its later claims have no event', async () => {
    const id = await begin();
    await service.drain({ worker: SMALL_PARTS, remaining: 29_000 });
    expect(states.size).toBeGreaterThan(4);
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job that no worker starts: has the events created and failed, and no event for a reminder', async () => {
    const id = await begin();
    for (let reminder = 1; reminder <= 6; reminder++) {
      await service.elapse(id, account_id);
      await service.reconcile();
    }
    expect(await checkEvents(id)).toEqual(['export.created', 'export.failed']);
    expect(await make.get(`/v1/exports/${id}`)).toMatchObject({ status: 'failed', error: { code: 'never-started' } });
  });

  test('a running job that a client cancels: the event canceled names the client as the actor', async () => {
    const id = await begin();
    await service.work([{ account_id, export_id: id }], { worker: SMALL_PARTS, remaining: 29_000 });
    expect(states.get(Math.max(...states.keys()))?.body['status']).toBe('running');
    expect((await make.send('POST', `/v1/exports/${id}/cancel`)).json.status).toBe('canceled');
    await watch();
    await service.drain();
    const types = ['export.created', 'export.running', 'export.canceled'];
    expect(await checkEvents(id, { 'export.canceled': 'user_1' })).toEqual(types);
  });
});
