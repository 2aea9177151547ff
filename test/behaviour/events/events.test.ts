import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { SUBJECTS } from '#shared/invoicing/event-subjects.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { operations, request } from '#test/support/requests/requests.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { differences, type FeedEvent, follow, type ResourceState, readResource } from '#test/support/state/feed.ts';
import { idMakers } from '../support/id-makers.ts';
import { idsOf, parsedLinks } from '../support/pages.ts';
import { needsOf, prerequisites, sharedPrerequisites } from '../support/prerequisites.ts';
import { createCustomer } from '../support/requests.ts';
import { lists, type Row } from '../support/rows.ts';
import { change, endOf, eventsOf, totalOf, typesOf } from './customer-events.ts';
import { SCENARIOS, type Scenario } from './event-scenarios.ts';

const service = await openService();

const REFUSED = ['type=customer.renamed', 'type=webhook.test', 'resource_id=abc', 'resource_type=customer', 'actor=x'];

describe('Events', () => {
  test('an event: has these members and no other data of the resource [CONTRACT §14]', async () => {
    const created = await service.create('/v1/invoices', { total_cents: 500, description: 'secret' });
    const { id } = created.json;
    const as = { sub: 'user_2' };
    const sent = { method: 'PATCH', body: { total_cents: 700 }, as };
    const changed = await service.send(`/v1/invoices/${id}`, sent);
    const common = { resource_type: 'invoice', resource_id: id };
    const any = { id: expect.any(Number), created_at: expect.any(String), updated_at: expect.any(String) };
    const [first, second] = await eventsOf(service, id);
    expect(first).toStrictEqual({
      ...any,
      ...common,
      sequence: expect.any(Number),
      type: 'invoice.created',
      version: 1,
      changed: [],
      actor: await service.subject(),
      request_id: created.headers['x-request-id'],
    });
    expect(second).toStrictEqual({
      ...any,
      ...common,
      sequence: first.sequence + 1,
      type: 'invoice.updated',
      version: 2,
      changed: ['amount_due_cents', 'subtotal_cents', 'total_cents'],
      actor: await service.subject(as),
      request_id: changed.headers['x-request-id'],
    });
    expect([first.id < second.id, first.created_at]).toEqual([true, first.updated_at]);
  });

  test('GET of an event: the same under both versions; ETag "1", if sent: 304 [CONTRACT §14]', async () => {
    const [event] = await eventsOf(service, await createCustomer(service));
    for (const version of ['v1', 'v2']) {
      const answer = await service.send(`/${version}/events/${event.id}`);
      expect([answer.status, answer.json, answer.headers['etag']]).toEqual([200, event, '"1"']);
    }
    const headers = { 'if-none-match': '"1"' };
    expect((await service.send(`/v1/events/${event.id}`, { headers })).status).toBe(304);
  });

  test('each answered write: its event ends the next list, without a gap [CONTRACT §14]', async () => {
    let sequence: number | undefined;
    for (let i = 0; i < 5; i++) {
      const id = await createCustomer(service);
      const { json } = await service.send('/v1/events?sort=-id&limit=1');
      expect([json.data[0].resource_id, json.data[0].type]).toEqual([id, 'customer.created']);
      expect(json.data[0].sequence).toBe(sequence === undefined ? json.data[0].sequence : sequence + 1);
      sequence = json.data[0].sequence;
    }
    expect(sequence).toBe(await totalOf(service));
  });

  testWith('fullExtent')(
    'a reader that follows next_cursor while 10 writers write: reads every event once [CONTRACT §14]',
    async () => {
      const { from, after: start } = await endOf(service);
      const written: number[] = [];
      const write = async () => {
        for (let i = 0; i < 4; i++) written.push(await createCustomer(service));
      };
      const read: Row[] = [];
      let isWriting = true;
      const follow = async () => {
        for (let after = start, isLast = false; ; ) {
          const { json } = await service.send(`/v1/events?created_from=${from}&limit=7&after=${after}`);
          read.push(...json.data);
          after = json.next_cursor;
          if (json.has_more) continue;
          if (isLast) return;
          isLast = !isWriting;
        }
      };
      const writers = Promise.all(Array.from({ length: 10 }, write)).finally(() => {
        isWriting = false;
      });
      await Promise.all([writers, follow()]);
      const ids = read.map(({ resource_id }) => resource_id);
      expect(ids.toSorted()).toEqual(written.toSorted());
      const sequences = read.map(({ sequence }) => sequence);
      expect(sequences).toEqual(sequences.map((_, i) => sequences[0] + i));
    },
  );

  testWith('fullExtent')('events of one resource: are in the order of its versions [CONTRACT §14]', async () => {
    const id = await createCustomer(service);
    await Promise.all(Array.from({ length: 10 }, (_, i) => change(service, id, { name: `n${i}` })));
    const found = await eventsOf(service, id);
    expect(found.map(({ version }) => version)).toEqual(found.map((_, i) => i + 1));
    expect(found).toHaveLength(11);
  });

  for (const query of REFUSED) {
    test(`/events?${query}: 422 [CONTRACT §14]`, async () => {
      const { status, json } = await service.send(`/v1/events?${query}`);
      expect([status, json.errors[0].parameter]).toEqual([422, query.split('=')[0]]);
    });
  }

  testWith('newAccounts')('an account without events: next_cursor is null [CONTRACT §14]', async () => {
    for (const query of ['', '?sort=-id', '?type=customer.created']) {
      const { json } = await service.send(`/v1/events${query}`, { as: { account: 'empty' } });
      expect(json).toEqual({ data: [], next_cursor: null, has_more: false });
    }
  });

  for (const parameters of ['', '&limit=100', '&type=customer.created', '&type=invoice.paid']) {
    test(`/events?…${parameters} at its end: next_cursor continues with the next event [CONTRACT §14]`, async () => {
      const id = await createCustomer(service);
      const [{ created_at }] = await eventsOf(service, id);
      const target = `/v1/events?created_from=${created_at}${parameters}`;
      const end = await service.send(target);
      expect([end.json.has_more, typeof end.json.next_cursor, parsedLinks(end)]).toEqual([false, 'string', {}]);
      const after = `&after=${end.json.next_cursor}`;
      const idle = { data: [], next_cursor: end.json.next_cursor, has_more: false };
      expect((await service.send(`${target}${after}`)).json).toEqual(idle);
      const { pay, invoice, customer } = idMakers(service);
      await pay(await invoice({ total_cents: 5, customer_id: await customer() }), 5);
      const expected = ['customer.created', 'invoice.created', 'invoice.paid', 'payment.created'];
      const [type] = /(?<=type=)[a-z.]+/.exec(parameters) ?? [];
      const found = typesOf(await service.send(`${target}${after}`));
      expect(found.sort()).toEqual(expected.filter((one) => !type || one === type));
    });
  }

  testWith('fullExtent', 'receiver')('another list at its end: next_cursor is null [CONTRACT §14]', async () => {
    for (const operation of lists) {
      const ids = await sharedPrerequisites(service, operation);
      const path = operation.route.split(' ')[1]?.replace(/\{(\w+)\}/, (_, name: string) => String(ids[name]));
      const { json } = await service.send(`/v1${path}?sort=-id&created_from=2090-01-01T00:00:00Z`);
      const next_cursor = path === '/events' ? expect.any(String) : null;
      expect(json).toEqual({ data: [], has_more: false, next_cursor });
    }
  });
});

const NO_EVENT: Readonly<Record<string, (service: Service) => Promise<() => Promise<unknown>>>> = {
  'a replayed idempotency key': async (service) => {
    const sent = { method: 'POST', body: { name: 'Ada' }, headers: { 'idempotency-key': randomUUID() } };
    await service.send('/v1/customers', sent);
    return async () => expect((await service.send('/v1/customers', sent)).headers['idempotent-replayed']).toBe('true');
  },
  'a write that changes nothing': async (service) => {
    const id = await createCustomer(service);
    const invoice = await service.create('/v1/invoices', {});
    const cancel = `${invoice.headers['location']}/cancel`;
    await service.create(cancel);
    return async () => {
      for (const method of ['PATCH', 'PUT']) {
        const { headers } = await service.send(`/v1/customers/${id}`, { method, body: { name: 'Ada' } });
        expect(headers['etag']).toBe('"1"');
      }
      expect((await service.send(cancel, { method: 'POST' })).status).toBe(200);
    };
  },
  'a refused write': async (service) => {
    const path = (await service.create('/v1/invoices', { total_cents: 5 })).headers['location'] as string;
    const patch = (body: object, more = {}) => service.send(path, { method: 'PATCH', body, ...more });
    return async () => {
      const answers = [
        await patch({ nope: 1 }),
        await patch({ status: 'draft' }),
        await patch({ total_cents: 9 }, { headers: { 'if-match': '"7"' } }),
        await patch({ total_cents: 9 }, { as: { scope: 'invoices:read' } }),
        await service.send('/v1/invoices', { method: 'POST', body: { customer_id: 1 } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([422, 422, 412, 403, 404]);
    };
  },
  'a read': async (service) => {
    const id = await createCustomer(service);
    return () => service.send(`/v1/customers/${id}`);
  },
};

describe('Events of nothing', () => {
  for (const [title, prepare] of Object.entries(NO_EVENT)) {
    test(`${title}: no event [CONTRACT §14]`, async () => {
      const act = await prepare(service);
      const before = await totalOf(service);
      await act();
      expect(await totalOf(service)).toBe(before);
    });
  }

  test('a counter of a customer changes: no event of the customer [CONTRACT §14]', async () => {
    const customer_id = await createCustomer(service);
    const before = await totalOf(service);
    await service.create('/v1/invoices', { customer_id });
    expect(await totalOf(service)).toBe(before + 1);
    expect(await eventsOf(service, customer_id)).toHaveLength(1);
  });
});

const subjectOf = (type: string) => Object.values(SUBJECTS).find((one) => one.type === type);

describe('Expanded events', () => {
  for (const version of ['v1', 'v2']) {
    test(`expand=resource: each resource is as in its GET under ${version} [CONTRACT §14]`, async () => {
      const make = idMakers(service);
      const { from } = await endOf(service);
      const payment_id = await make.paymentOf(100, 60);
      await make.create('refunds', { payment_id, amount_cents: 1 });
      await make.create('credit-notes', { invoice_id: await make.invoice(), amount_cents: 1 });
      await make.itemOf();
      await make.webhook();
      await make.create('number-series', { prefix: `${version.toUpperCase()}-A` });
      const exported = await make.exported();
      const { json } = await service.send(`/${version}/events?limit=100&expand=resource&created_from=${from}`);
      const types = json.data.map(({ resource_type }: Row) => resource_type);
      expect(new Set(types)).toEqual(new Set(Object.values(SUBJECTS).map(({ type }) => type)));
      for (const { resource_type, resource_id, resource } of json.data) {
        const target = `/${version}/${subjectOf(resource_type)?.collection}/${resource_id}`;
        expect([target, resource]).toEqual([target, (await service.send(target)).json]);
      }
      await service.send(`/v1/exports/${exported}/cancel`, { method: 'POST' });
    });
  }

  test('an expanded event: its ETag has the resource’s version, 0 if deleted [CONTRACT §14]', async () => {
    const customer = await createCustomer(service);
    const [{ id }] = await eventsOf(service, customer);
    const expanded = () => service.send(`/v1/events/${id}?expand=resource`);
    expect((await expanded()).headers['etag']).toBe('"1-1"');
    await change(service, customer, { name: 'New' });
    const changed = await expanded();
    expect([changed.headers['etag'], changed.json.resource.name, changed.json.version]).toEqual(['"1-2"', 'New', 1]);
    await service.send(`/v1/customers/${customer}`, { method: 'DELETE' });
    const deleted = await expanded();
    expect([deleted.headers['etag'], deleted.json.resource]).toEqual(['"1-0"', null]);
    const listed = await eventsOf(service, customer, '&expand=resource');
    expect(listed.map(({ type, version, resource }) => [type, version, resource])).toEqual([
      ['customer.created', 1, null],
      ['customer.updated', 2, null],
      ['customer.deleted', 2, null],
    ]);
  });

  test('expand=resource with fields: the resource in addition to the fields [CONTRACT §6]', async () => {
    const customer = await createCustomer(service);
    const resource = expect.objectContaining({ name: 'Ada' });
    const type = 'customer.created';
    expect(await eventsOf(service, customer, '&fields=type&expand=resource')).toEqual([{ type, resource }]);
    const [{ id }] = await eventsOf(service, customer);
    const { json } = await service.send(`/v1/events/${id}?fields=type&expand=resource`);
    expect(json).toEqual({ type, resource });
  });

  test('expand=resource without the read scope of a type on the page: 403; no other scope is needed [CONTRACT §14]', async () => {
    const { customer, invoice } = idMakers(service);
    await totalOf(service);
    const ids = [await customer(), await invoice()] as const;
    const [[own], [other]] = [await eventsOf(service, ids[0]), await eventsOf(service, ids[1])];
    const as = { scope: 'events:read customers:read' };
    const read = async (target: string) => (await service.send(target, { as })).status;
    expect(await read(`/v1/events/${own.id}?expand=resource`)).toBe(200);
    expect(await read(`/v1/events/${other.id}?expand=resource`)).toBe(403);
    const list = `/v1/events?expand=resource&created_from=${own.created_at}`;
    expect(await read(`${list}&limit=1`)).toBe(200);
    expect(await read(`${list}&type=customer.created`)).toBe(200);
    const denied = await service.send(list, { as });
    expect([denied.status, denied.json.code]).toEqual([403, 'insufficient-scope']);
    expect(denied.headers['www-authenticate']).toContain('scope="invoices:read"');
    expect(idsOf(await service.send(`${list}&limit=1`, { as }))).toEqual([own.id]);
  });
});

const writes = operations.filter(([, operation]) => operation.isWrite);

/** The scenario of a creation that changes nothing else. */
const creationOf = (service: Service, operation: Operation): Scenario | undefined => {
  const resource = operation.returns[201] ?? operation.returns[202];
  if (!resource || operation.hasId) return undefined;
  const prepare = async () => {
    const ids = await prerequisites(service, operation);
    const bodyIn = (version: Version) => request(operation, version, ids).sent.body as object;
    return { path: operation.path, body: bodyIn('v1'), v2: bodyIn('v2') };
  };
  return { types: [`${resource.type}.created`], prepare };
};

const AGO_MS = 60_000;

/** Reads the events since the last call. The first call also returns events of the last minute. */
const follower = (service: Service) => {
  const parameters = `&created_from=${new Date(Date.now() - AGO_MS).toISOString()}`;
  let after: string | null = null;
  return async (): Promise<FeedEvent[]> => {
    const { events, cursor } = await follow(service, {}, { after, parameters });
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
    const state = await readResource(service, {}, type, Number(id));
    if (state) found.set(name, state);
  }
  return found;
};

/** The changes between two states, which the events must report. */
const expectedChanges = (before: Map<string, ResourceState>, after: Map<string, ResourceState>) =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((resource) => {
    const [old, now] = [before.get(resource), after.get(resource)];
    if (old && now) {
      const changed = differences(old, now);
      // The progress of a resource, such as the last number of a series, has no event.
      const subject = subjectOf(resource.split(' ')[0] as string);
      const progress: readonly string[] = subject?.events?.progress ?? [];
      const isSilent = progress.length > 0 && changed.every((name) => progress.includes(name));
      return old.version === now.version || isSilent ? [] : [{ resource, version: now.version, changed }];
    }
    return [{ resource, version: now ? 1 : (old as ResourceState).version, changed: [] }];
  });

const byResource = (a: { resource: string }, b: { resource: string }) => (a.resource < b.resource ? -1 : 1);

const run = async (service: Service, operation: Operation, version: Version, scenario: Scenario): Promise<void> => {
  const { types, secret = [], prepare } = scenario;
  const newEvents = await service.once('new events', async () => follower(service));
  await newEvents();
  const { path, body, v2 } = await prepare(idMakers(service), () => prerequisites(service, operation));
  const before = await readStates(service, await newEvents());
  const { method } = operation;
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
  (SCENARIOS[name] ?? [undefined]).flatMap((scenario, i) =>
    VERSIONS.map((version) => {
      const title = `${version}, ${operation.route}, case ${i + 1}: ${scenario?.types.join(' and ') || 'its event'}`;
      return { name, operation, scenario, version, title };
    }),
  ),
);

describe('Event types', () => {
  for (const { name, operation, scenario, version, title } of partOf(cases, 11))
    testWith(...needsOf(operation))(`${title} [CONTRACT §14]`, async () => {
      const found = scenario ?? creationOf(service, operation);
      if (!found) throw new Error(`${name} has no entry in test/behaviour/events/event-scenarios.ts.`);
      await run(service, operation, version, found);
    });
});
