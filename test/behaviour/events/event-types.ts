import { expect } from 'expect';
import { hasId, isWrite, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { operations, request } from '#test/support/requests/requests.ts';
import { differences, type FeedEvent, follow, type ResourceState, readResource } from '#test/support/state/feed.ts';
import { makers } from '../support/makers.ts';
import { prerequisites, testService } from '../support/prerequisites.ts';
import { SCENARIOS, type Scenario } from './event-scenarios.ts';

const writes = operations.filter(([, operation]) => isWrite(operation));

/** The scenario of a creation that changes nothing else. */
const creationOf = (service: Service, operation: Operation): Scenario | undefined => {
  const resource = operation.returns[201] ?? operation.returns[202];
  if (!resource || hasId(operation)) return undefined;
  const prepare = async () => {
    const ids = await prerequisites(service, operation);
    const bodyIn = (version: Version) => request(operation, version, ids).sent.body as object;
    return { path: routeOf(operation).path, body: bodyIn('v1'), v2: bodyIn('v2') };
  };
  return { types: [`${resource.type}.created`], prepare };
};

const AGO_MS = 60_000;

/** Reads the events since the last call. The first call also returns events of the last minute. */
const follower = (service: Service) => {
  const parameters = `&created_from=${new Date(Date.now() - AGO_MS).toISOString()}`;
  let after: string | null = null;
  return async (): Promise<FeedEvent[]> => {
    const { events, cursor } = await follow(testService(service), {}, { after, parameters });
    after = cursor;
    return events;
  };
};

const readStates = async (
  service: Service,
  events: readonly FeedEvent[],
  states = new Map<string, ResourceState>(),
) => {
  const found = new Map<string, ResourceState>();
  const names = new Set([...states.keys(), ...events.map((one) => `${one.resource_type} ${one.resource_id}`)]);
  for (const name of names) {
    const [type = '', id] = name.split(' ');
    const state = await readResource(testService(service), {}, type, Number(id));
    if (state) found.set(name, state);
  }
  return found;
};

/** The changes between two states: what the events must report. */
const expectedChanges = (before: Map<string, ResourceState>, after: Map<string, ResourceState>) =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((resource) => {
    const [old, now] = [before.get(resource), after.get(resource)];
    if (old && now) {
      return old.version === now.version ? [] : [{ resource, version: now.version, changed: differences(old, now) }];
    }
    return [{ resource, version: now ? 1 : (old as ResourceState).version, changed: [] }];
  });

const byResource = (a: { resource: string }, b: { resource: string }) => (a.resource < b.resource ? -1 : 1);

const run = async (service: Service, operation: Operation, version: Version, scenario: Scenario): Promise<void> => {
  const { types, secret = [], prepare } = scenario;
  const newEvents = await service.once('new events', async () => follower(service));
  await newEvents();
  const { path, body, v2 } = await prepare(makers(service), () => prerequisites(service, operation));
  const before = await readStates(service, await newEvents());
  const { method } = routeOf(operation);
  const headers = { 'idempotency-key': method === 'POST' ? crypto.randomUUID() : undefined };
  const sent = version === 'v1' ? body : v2;
  const answer = await service.send(`/${version}${path}`, { method, headers, ...(sent && { body: sent }) });
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  const events = await newEvents();
  expect(events.map(({ type }) => type).sort()).toEqual(types);
  const expected = expectedChanges(before, await readStates(service, events, before));
  const visible = events.map(({ resource_type, resource_id, version, changed }) => ({
    resource: `${resource_type} ${resource_id}`,
    version,
    changed: changed.filter((name) => !secret.includes(name)),
  }));
  expect(visible.sort(byResource)).toEqual(expected.sort(byResource));
  expect(events.flatMap(({ changed }) => changed)).toEqual(expect.arrayContaining([...secret]));
  for (const { actor, request_id } of events)
    expect([actor, request_id]).toEqual([await service.subject(), answer.headers['x-request-id']]);
  const unfinished = /^\/exports(\/\d+)?$/.exec(path) && answer.status === 202;
  if (unfinished) await service.send(`/v1/exports/${answer.json.id}/cancel`, { method: 'POST' });
};

const unknown = Object.keys(SCENARIOS).filter((name) => !writes.some(([file]) => file === name));
if (unknown.length > 0) throw new Error(`event-scenarios.ts has entries of no write: ${unknown.join(', ')}.`);

const cases = writes.flatMap(([name, operation]) =>
  (SCENARIOS[name] ?? [undefined]).map((scenario, i) => {
    const title = `${operation.route}, case ${i + 1}: ${scenario?.types.join(' and ') || 'its event'}`;
    return { name, operation, scenario, title };
  }),
);

export const eventTypes: Group = {
  name: 'Event types',
  checks: cases.flatMap(({ name, operation, scenario, title }) =>
    VERSIONS.map((version) =>
      check('CONTRACT §14', `${version}, ${title}`, async (service) => {
        const found = scenario ?? creationOf(service, operation);
        if (!found) throw new Error(`${name} has no entry in test/behaviour/events/event-scenarios.ts.`);
        await run(service, operation, version, found);
      }),
    ),
  ),
};
