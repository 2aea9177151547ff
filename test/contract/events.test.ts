import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SUBJECTS } from '#shared/invoicing/event-subjects.ts';
import type { Sent } from '#test/support/event.ts';
import { createPrerequisites, operations } from '#test/support/requests.ts';
import { type Answer, type Claims, type Service, startService } from '#test/support/service.ts';

/*
 * CONTRACT §14, clause by clause. Only GET /events publishes events in these tests: no worker runs, so that each test
 * that reads an event also shows that a client reads its own writes.
 */

let service: Service;
let account_id: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(() => {
  account_id = `acct_${randomUUID().slice(0, 8)}`;
});

const send = (target: string, { claims, ...sent }: Sent & { claims?: Claims } = {}): Promise<Answer> =>
  service.send(target, { ...sent, claims: { account_id, ...claims } });
const post = async (path: string, body: object = {}): Promise<Answer> => {
  const answer = await send(`/v1/${path}`, { method: 'POST', body, headers: { 'idempotency-key': randomUUID() } });
  expect(answer.status).toBeLessThan(300);
  return answer;
};
const createCustomers = async (count: number): Promise<number[]> => {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push((await post('customers', { name: `Customer ${i}` })).json.id);
  return ids;
};
const list = async (query = ''): Promise<Answer['json']> => {
  const answer = await send(`/v1/events${query}`);
  expect(answer.status).toBe(200);
  return answer.json;
};
const field = (page: Answer['json'], name: string): unknown[] => page.data.map((event: never) => event[name]);

describe('an event', () => {
  test('has these members, and no other data of the resource [CONTRACT §14]', async () => {
    const created = await post('invoices', { total_cents: 500, description: 'secret' });
    const path = `/v1/invoices/${created.json.id}`;
    const changed = await send(path, { method: 'PATCH', body: { total_cents: 700 }, claims: { sub: 'user_2' } });
    const { data } = await list();
    const common = { resource_type: 'invoice', resource_id: created.json.id };
    const times = { id: expect.any(Number), created_at: expect.any(String), updated_at: expect.any(String) };
    expect(data).toStrictEqual([
      {
        ...times,
        ...common,
        sequence: 1,
        type: 'invoice.created',
        version: 1,
        changed: [],
        actor: 'user_1',
        request_id: created.headers['x-request-id'],
      },
      {
        ...times,
        ...common,
        sequence: 2,
        type: 'invoice.updated',
        version: 2,
        changed: ['amount_due_cents', 'total_cents'],
        actor: 'user_2',
        request_id: changed.headers['x-request-id'],
      },
    ]);
    expect(data[0].id).toBeLessThan(data[1].id);
    expect(data[0].created_at).toBe(data[0].updated_at);
  });

  test('as a member: the same body under both versions, ETag "1", 304, fields', async () => {
    await createCustomers(1);
    const [event] = (await list()).data;
    for (const version of ['v1', 'v2']) {
      const answer = await send(`/${version}/events/${event.id}`);
      expect([answer.status, answer.json, answer.headers['etag']]).toEqual([200, event, '"1"']);
    }
    const path = `/v1/events/${event.id}`;
    expect((await send(path, { headers: { 'if-none-match': '"1"' } })).status).toBe(304);
    expect((await send(`${path}?fields=type,version`)).json).toEqual({ type: 'customer.created', version: 1 });
  });

  test('of another account, and one that does not exist: the same 404', async () => {
    await createCustomers(1);
    const [{ id }] = (await list()).data;
    const foreign = await send(`/v1/events/${id}`, { claims: { account_id: 'acct_other' } });
    const missing = await send('/v1/events/1');
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    const body = ({ json: { request_id, ...rest } }: Answer) => rest;
    expect(body(foreign)).toEqual(body(missing));
    expect((await send('/v1/events', { claims: { account_id: 'acct_other' } })).json.data).toEqual([]);
  });

  test.each(['PATCH', 'PUT', 'DELETE', 'POST'])('%s of an event: 405, and the event is unchanged', async (method) => {
    await createCustomers(1);
    const [event] = (await list()).data;
    const path = `/v1/events/${event.id}`;
    const answer = await send(path, { method, body: { type: 'customer.deleted' } });
    expect([answer.status, answer.headers['allow']]).toEqual([405, expect.stringContaining('GET')]);
    expect((await send('/v1/events', { method: 'POST', body: {} })).status).toBe(405);
    expect((await send(path)).json).toEqual(event);
  });
});

describe('the scope events:read', () => {
  test.each(['viewer', 'clerk', 'accountant', 'admin'])('the role %s has it [CONTRACT §2]', async (role) => {
    expect((await send('/v1/events', { claims: { role } })).status).toBe(200);
  });

  test.each(['list', 'member'])('without it, the %s is 403', async (kind) => {
    await createCustomers(1);
    const [{ id }] = (await list()).data;
    const claims = { role: undefined, scope: 'customers:read customers:write' };
    const answer = await send(kind === 'list' ? '/v1/events' : `/v1/events/${id}`, { claims });
    expect([answer.status, answer.json.code]).toEqual([403, 'insufficient-scope']);
  });

  test('it suffices for both, without the scopes of the resources', async () => {
    await createCustomers(1);
    const claims = { role: undefined, scope: 'events:read' };
    const answer = await send('/v1/events', { claims });
    expect(answer.json.data).toHaveLength(1);
    expect((await send(`/v1/events/${answer.json.data[0].id}`, { claims })).status).toBe(200);
  });
});

describe('the list', () => {
  test('read your writes: each answered write is in the next list, at the end [CONTRACT §14]', async () => {
    for (let count = 1; count <= 5; count++) {
      const [id] = await createCustomers(1);
      const { data, has_more } = await list('?limit=100');
      expect([data.length, data.at(-1).resource_id, has_more]).toEqual([count, id, false]);
    }
  });

  test.each(['v1', 'v2'])('cursor style under %s: every event once, in order', async (version) => {
    await createCustomers(7);
    const walk = async (parameters: string) => {
      const sequences: number[] = [];
      for (let after = ''; ; ) {
        const { json, headers } = await send(`/${version}/events?limit=3${parameters}${after}`);
        sequences.push(...(field(json, 'sequence') as number[]));
        if (!json.has_more) return sequences;
        expect(headers['link']).toContain(`after=${json.next_cursor}`);
        after = `&after=${json.next_cursor}`;
      }
    };
    expect(await walk('')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await walk('&sort=-id')).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  test('offset style under v1: total_count, page links; under v2 422', async () => {
    await createCustomers(5);
    const { json, headers } = await send('/v1/events?page=2&per_page=2');
    expect(json).toMatchObject({ page: 2, per_page: 2, total_count: 5 });
    expect(field(json, 'sequence')).toEqual([3, 4]);
    for (const relation of ['first', 'last', 'prev', 'next']) expect(headers['link']).toContain(`rel="${relation}"`);
    expect(field(await list('?page=2&per_page=2&sort=-id'), 'sequence')).toEqual([3, 2]);
    expect(await list('?page=9&per_page=2')).toEqual({ data: [], page: 9, per_page: 2, total_count: 5 });
    expect((await send('/v2/events?page=1')).status).toBe(422);
  });

  test('filters: type, resource_id, both, and the time bounds', async () => {
    const [first, second] = (await createCustomers(2)) as [number, number];
    await send(`/v1/customers/${first}`, { method: 'PATCH', body: { name: 'New' } });
    const [{ created_at }] = (await list()).data;
    const select = async (query: string) => field(await list(`?${query}`), 'sequence');
    for (const style of ['', '&page=1']) {
      expect(await select(`type=customer.created${style}`)).toEqual([1, 2]);
      expect(await select(`resource_id=${first}${style}`)).toEqual([1, 3]);
      expect(await select(`resource_id=${first}&type=customer.updated${style}`)).toEqual([3]);
      expect(await select(`resource_id=${second}&type=customer.updated${style}`)).toEqual([]);
      expect(await select(`created_from=${created_at}${style}`)).toEqual([1, 2, 3]);
      expect(await select(`created_before=${created_at}${style}`)).toEqual([]);
      expect(await select(`created_from=2020-01-01T00:00:00Z&created_before=2020-01-02T00:00:00Z${style}`)).toEqual([]);
      expect(await select(`created_from=2090-01-01T00:00:00Z${style}`)).toEqual([]);
    }
    expect(await select('sort=-id&type=customer.created')).toEqual([2, 1]);
    expect(await select('sort=-id&created_from=2020-01-01T00:00:00Z')).toEqual([3, 2, 1]);
    expect(await select('sort=-id&created_before=2020-01-01T00:00:00Z')).toEqual([]);
  });

  test.each([
    'type=customer.renamed',
    'type=webhook.test',
    'resource_id=abc',
    'resource_type=customer',
    'actor=x',
    'dry_run=true',
  ])('%s: 422', async (query) => {
    const { status, json } = await send(`/v1/events?${query}`);
    expect([status, json.errors[0].parameter]).toEqual([422, query.split('=')[0]]);
  });
});

describe('the position to continue from', () => {
  test('an account without events: next_cursor is null', async () => {
    for (const query of ['', '?sort=-id', '?type=customer.created'])
      expect(await list(query)).toEqual({ data: [], next_cursor: null, has_more: false });
  });

  test.each(['', 'limit=2&', 'type=customer.created&', 'type=invoice.paid&', 'created_from=2026-01-01T00:00:00Z&'])(
    'GET /events?%s at the end: has_more false, no link, and the cursor continues with the next event',
    async (parameters) => {
      await createCustomers(2);
      const { json, headers } = await send(`/v1/events?${parameters}`);
      expect([json.has_more, typeof json.next_cursor, headers['link']]).toEqual([false, 'string', undefined]);
      const idle = await list(`?${parameters}after=${json.next_cursor}`);
      expect(idle).toEqual({ data: [], next_cursor: json.next_cursor, has_more: false });
      const [customer] = await createCustomers(1);
      const body = { total_cents: 5, customer_id: customer };
      const invoice = await post('invoices', body);
      await post('payments', { invoice_id: invoice.json.id, amount_cents: 5 });
      const types = field(await list(`?${parameters}after=${json.next_cursor}`), 'type');
      const expected = ['customer.created', 'invoice.created', 'payment.created', 'invoice.paid'];
      const [filter] = /(?<=type=)[a-z.]+/.exec(parameters) ?? [];
      const matching = expected.filter((type) => !filter || type === filter);
      expect([...types].sort()).toEqual(matching.slice(0, parameters.startsWith('limit') ? 2 : 4).sort());
    },
  );

  test('sort=-id: the cursor at the end is not null', async () => {
    await createCustomers(1);
    expect(await list('?sort=-id')).toMatchObject({ has_more: false, next_cursor: expect.any(String) });
    expect(await list('?sort=-id&type=invoice.paid')).toMatchObject({ data: [], next_cursor: expect.any(String) });
  });

  test('no other list has a cursor at its end', async () => {
    await createCustomers(1);
    expect((await send('/v1/customers')).json).toMatchObject({ has_more: false, next_cursor: null });
  });
});

describe('expand=resource', () => {
  test.each(['v1', 'v2'])('every type of resource, as its own GET under %s returns it', async (version) => {
    for (const [name, operation] of operations)
      if (name.endsWith('/create')) await createPrerequisites(service, operation, { account_id });
    await post('refunds', { payment_id: (await send('/v1/payments')).json.data[0].id });
    const { json } = await send(`/${version}/events?limit=100&expand=resource`);
    const types = new Set(field(json, 'resource_type'));
    expect(types).toEqual(new Set(Object.values(SUBJECTS).map(({ type }) => type)));
    for (const { resource_type, resource_id, resource } of json.data) {
      const target = `/${version}/${resource_type.replace('_', '-')}s/${resource_id}`;
      expect([target, resource]).toEqual([target, (await send(target)).json]);
    }
  });

  test('a member: the ETag has the version of the resource, 0 when it is deleted', async () => {
    const [customer] = await createCustomers(1);
    const path = `/v1/customers/${customer}`;
    const [{ id }] = (await list()).data;
    const expanded = () => send(`/v1/events/${id}?expand=resource`);
    expect((await expanded()).headers['etag']).toBe('"1-1"');
    await send(path, { method: 'PATCH', body: { name: 'New' } });
    const changed = await expanded();
    expect([changed.headers['etag'], changed.json.resource.name, changed.json.version]).toEqual(['"1-2"', 'New', 1]);
    await send(path, { method: 'DELETE' });
    const deleted = await expanded();
    expect([deleted.headers['etag'], deleted.json.resource]).toEqual(['"1-0"', null]);
  });

  test('a deleted resource in a list is null, at once', async () => {
    const [customer] = await createCustomers(1);
    await send(`/v1/customers/${customer}`, { method: 'DELETE' });
    const before = Date.now();
    const { data } = await list('?expand=resource');
    expect(data.map((event: Answer['json']) => [event.type, event.version, event.resource])).toEqual([
      ['customer.created', 1, null],
      ['customer.deleted', 1, null],
    ]);
    // It does not wait for the deleted resource to become readable.
    expect(Date.now() - before).toBeLessThan(1000);
  });

  test('with fields: the resource in addition', async () => {
    await createCustomers(1);
    const { data } = await list('?fields=sequence&expand=resource');
    expect(data).toEqual([{ sequence: 1, resource: expect.objectContaining({ name: 'Customer 0' }) }]);
    const [{ id }] = (await list()).data;
    const { json } = await send(`/v1/events/${id}?fields=type&expand=resource`);
    expect(json).toEqual({ type: 'customer.created', resource: expect.objectContaining({ name: 'Customer 0' }) });
  });

  test('needs the read scope of each type on the page, and no other', async () => {
    await createCustomers(1);
    await post('invoices');
    const [customer, invoice] = field(await list(), 'id');
    const claims = { role: undefined, scope: 'events:read customers:read' };
    const read = async (target: string) => (await send(target, { claims })).status;
    expect(await read(`/v1/events/${customer}?expand=resource`)).toBe(200);
    expect(await read(`/v1/events/${invoice}?expand=resource`)).toBe(403);
    expect(await read('/v1/events?limit=1&expand=resource')).toBe(200);
    expect(await read('/v1/events?expand=resource')).toBe(403);
    expect(await read('/v1/events?expand=resource&type=customer.created')).toBe(200);
    const denied = await send('/v1/events?expand=resource', { claims });
    expect(denied.json.code).toBe('insufficient-scope');
    expect(denied.headers['www-authenticate']).toContain('scope="invoices:read"');
  });

  test('an unknown relation: 422', async () => {
    expect((await send('/v1/events?expand=customer')).status).toBe(422);
  });
});

describe('no event', () => {
  const sequencesAfter = async (act: () => Promise<unknown>): Promise<number> => {
    const count = async () => (await list('?page=1')).total_count;
    const before = await count();
    await act();
    return (await count()) - before;
  };

  test('for a replayed idempotency key', async () => {
    const sent = { method: 'POST', body: { name: 'Ada' }, headers: { 'idempotency-key': randomUUID() } };
    expect(await sequencesAfter(() => send('/v1/customers', sent))).toBe(1);
    const replay = async () => expect((await send('/v1/customers', sent)).headers['idempotent-replayed']).toBe('true');
    expect(await sequencesAfter(replay)).toBe(0);
  });

  test('for a write that changes nothing', async () => {
    const [customer] = await createCustomers(1);
    const { json: invoice } = await post('invoices', { total_cents: 5 });
    const body = { name: 'Customer 0' };
    const writes = async () => {
      for (const method of ['PATCH', 'PUT'])
        expect((await send(`/v1/customers/${customer}`, { method, body })).headers['etag']).toBe('"1"');
    };
    expect(await sequencesAfter(writes)).toBe(0);
    expect(await sequencesAfter(() => post(`invoices/${invoice.id}/cancel`))).toBe(1);
    expect(await sequencesAfter(() => post(`invoices/${invoice.id}/cancel`))).toBe(0);
  });

  test('for a refused request', async () => {
    const { json: invoice } = await post('invoices', { total_cents: 5 });
    const refused = async () => {
      const path = `/v1/invoices/${invoice.id}`;
      const answers = [
        await send(path, { method: 'PATCH', body: { nope: 1 } }),
        await send(path, { method: 'PATCH', body: { status: 'draft' } }),
        await send(path, { method: 'PATCH', body: { total_cents: 9 }, headers: { 'if-match': '"7"' } }),
        await send(path, { method: 'PATCH', body: { total_cents: 9 }, claims: { role: 'viewer' } }),
        await send('/v1/invoices', { method: 'POST', body: { customer_id: 1 } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([422, 422, 412, 403, 404]);
    };
    expect(await sequencesAfter(refused)).toBe(0);
  });

  test('for a counter: a customer that an invoice names has no event', async () => {
    const [customer_id] = await createCustomers(1);
    expect(await sequencesAfter(() => post('invoices', { customer_id }))).toBe(1);
  });
});
