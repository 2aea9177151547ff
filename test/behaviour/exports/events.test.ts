import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { type Exports, startExports } from '#test/support/exports.ts';
import { differences, follow, type ResourceState, readResource } from '#test/support/feed.ts';
import type { Answer } from '#test/support/service.ts';

let service: Exports;
let account_id: string;

beforeAll(async () => {
  service = await startExports();
});
afterAll(() => service.stop());
beforeEach(() => {
  account_id = `acct_${randomUUID().slice(0, 8)}`;
});

const SUB = 'user_events';
const ask = (method: string, target: string, body?: object): Promise<Answer> =>
  service.send(target, {
    method,
    ...(body && { body }),
    headers: method === 'POST' ? { 'idempotency-key': randomUUID() } : {},
    claims: { account_id, sub: SUB },
  });
const create = async (collection: string, body: object): Promise<number> => {
  const { status, json, text } = await ask('POST', `/v1/${collection}`, body);
  if (status >= 300) throw new Error(text);
  return json.id;
};
const exported = () => create('exports', { type: 'customers', format: 'csv' });

describe('the events of the export worker [CONTRACT §14]', () => {
  /** Each state of the export, by version, as GET returned it right after the worker's commit. */
  const states = new Map<number, ResourceState>();
  let watched: number | undefined;

  const watch = async () => {
    if (watched === undefined) return;
    const state = await readResource(service, { account_id }, 'export', watched);
    if (state) states.set(state.version, state);
  };

  beforeAll(() => {
    service.own.dynamo.middlewareStack.add(
      (next, context) => async (call) => {
        const result = await next(call);
        if (/^(Update|TransactWrite)/.test(String(context.commandName))) await watch();
        return result;
      },
      { step: 'initialize', priority: 'high', name: 'watch' },
    );
  });
  beforeEach(async () => {
    await service.purge();
    states.clear();
    watched = undefined;
  });

  const SMALL_PARTS: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => exportFile(message, stores, 1),
  };

  const begin = async (): Promise<number> => {
    for (const name of ['Ada', 'Bob', 'Cyd']) await create('customers', { name });
    watched = await exported();
    await watch();
    return watched;
  };

  /** Checks the events of the export after its creation against its states, and returns their types. */
  const checkEvents = async (id: number, actors: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    await watch();
    const { events } = await follow(service, { account_id }, { parameters: `&resource_id=${id}` });
    const [{ request_id: created } = { request_id: '' }, ...others] = events;
    for (const { version, changed, ...event } of others) {
      const [old, now] = [states.get(version - 1), states.get(version)] as [ResourceState, ResourceState];
      expect([event.type, changed]).toEqual([event.type, differences(old, now)]);
      expect(now.body['status']).toBe(event.type.split('.')[1]);
      expect([event.actor, event.request_id === created]).toEqual([actors[event.type] ?? null, false]);
    }
    return events.map(({ type }) => type);
  };

  test('a job in one attempt: running and completed', async () => {
    const id = await begin();
    await service.drain();
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job in several attempts: its progress and its later claims have no event', async () => {
    const id = await begin();
    await service.drain({ worker: SMALL_PARTS, remaining: 20_000 });
    expect(states.size).toBeGreaterThan(4);
    expect(await checkEvents(id)).toEqual(['export.created', 'export.running', 'export.completed']);
  });

  test('a job that no worker starts: failed, and no event for the reminders', async () => {
    const id = await begin();
    for (let reminder = 1; reminder <= 6; reminder++) {
      await service.elapse(id, account_id);
      await service.reconcile();
    }
    expect(await checkEvents(id)).toEqual(['export.created', 'export.failed']);
  });

  test('a running job that a client cancels: canceled, with the client as the actor', async () => {
    const id = await begin();
    await service.work([{ account_id, export_id: id }], { worker: SMALL_PARTS, remaining: 20_000 });
    expect(states.get(Math.max(...states.keys()))?.body['status']).toBe('running');
    expect((await ask('POST', `/v1/exports/${id}/cancel`)).json.status).toBe('canceled');
    await watch();
    await service.drain();
    const types = ['export.created', 'export.running', 'export.canceled'];
    expect(await checkEvents(id, { 'export.canceled': SUB })).toEqual(types);
  });
});
