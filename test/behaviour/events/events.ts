import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { makers } from '../support/makers.ts';
import { parsedLinks } from '../support/pages.ts';
import { sharedPrerequisites } from '../support/prerequisites.ts';
import { createCustomer } from '../support/requests.ts';
import { lists, type Row } from '../support/rows.ts';
import { change, endOf, eventsOf, totalOf, typesOf } from './customer-events.ts';

const REFUSED = ['type=customer.renamed', 'type=webhook.test', 'resource_id=abc', 'resource_type=customer', 'actor=x'];

export const events: Group = {
  name: 'Events',
  checks: [
    check('CONTRACT §14', 'an event: has these members and no other data of the resource', async (service) => {
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
        changed: ['amount_due_cents', 'total_cents'],
        actor: await service.subject(as),
        request_id: changed.headers['x-request-id'],
      });
      expect([first.id < second.id, first.created_at]).toEqual([true, first.updated_at]);
    }),
    check('CONTRACT §14', 'GET of an event: the same under both versions; ETag "1", if sent: 304', async (service) => {
      const [event] = await eventsOf(service, await createCustomer(service));
      for (const version of ['v1', 'v2']) {
        const answer = await service.send(`/${version}/events/${event.id}`);
        expect([answer.status, answer.json, answer.headers['etag']]).toEqual([200, event, '"1"']);
      }
      const headers = { 'if-none-match': '"1"' };
      expect((await service.send(`/v1/events/${event.id}`, { headers })).status).toBe(304);
    }),
    ...['PATCH', 'PUT', 'DELETE', 'POST'].map((method) =>
      check('CONTRACT §14', `${method} of an event: 405, and the event is unchanged`, async (service) => {
        const [event] = await eventsOf(service, await createCustomer(service));
        const sent = { method, body: { type: 'customer.deleted' } };
        expect((await service.send(`/v1/events/${event.id}`, sent)).status).toBe(405);
        expect((await service.send('/v1/events', sent)).status).toBe(405);
        expect((await service.send(`/v1/events/${event.id}`)).json).toEqual(event);
      }),
    ),
    check('CONTRACT §14', 'each answered write: its event ends the next list, without a gap', async (service) => {
      let sequence: number | undefined;
      for (let i = 0; i < 5; i++) {
        const id = await createCustomer(service);
        const { json } = await service.send('/v1/events?sort=-id&limit=1');
        expect([json.data[0].resource_id, json.data[0].type]).toEqual([id, 'customer.created']);
        expect(json.data[0].sequence).toBe(sequence === undefined ? json.data[0].sequence : sequence + 1);
        sequence = json.data[0].sequence;
      }
      expect(sequence).toBe(await totalOf(service));
    }),
    check(
      'CONTRACT §14',
      'a reader that follows next_cursor while 10 writers write: reads every event once',
      async (service) => {
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
    ),
    check('CONTRACT §14', 'events of one resource: are in the order of its versions', async (service) => {
      const id = await createCustomer(service);
      await Promise.all(Array.from({ length: 10 }, (_, i) => change(service, id, { name: `n${i}` })));
      const found = await eventsOf(service, id);
      expect(found.map(({ version }) => version)).toEqual(found.map((_, i) => i + 1));
      expect(found).toHaveLength(11);
    }),
    check('CONTRACT §14', 'events by type, resource_id and time bounds: only the matching events', async (service) => {
      await totalOf(service);
      const id = await createCustomer(service);
      await change(service, id, { name: 'New' });
      const [first, second] = await eventsOf(service, id);
      for (const style of ['', '&page=1', '&sort=-id']) {
        expect(await eventsOf(service, id, `&type=customer.updated${style}`)).toEqual([second]);
        expect(await eventsOf(service, id, `&type=invoice.paid${style}`)).toEqual([]);
        expect(await eventsOf(service, id, `&created_from=2090-01-01T00:00:00Z${style}`)).toEqual([]);
        expect(await eventsOf(service, id, `&created_before=${first.created_at}${style}`)).toEqual([]);
      }
      const typed = await service.send(`/v1/events?type=customer.created&created_from=${first.created_at}`);
      expect(typed.json.data).toEqual([first]);
    }),
    ...REFUSED.map((query) =>
      check('CONTRACT §14', `/events?${query}: 422`, async (service) => {
        const { status, json } = await service.send(`/v1/events?${query}`);
        expect([status, json.errors[0].parameter]).toEqual([422, query.split('=')[0]]);
      }),
    ),
    check('CONTRACT §14', 'an account without events: next_cursor is null', async (service) => {
      for (const query of ['', '?sort=-id', '?type=customer.created']) {
        const { json } = await service.send(`/v1/events${query}`, { as: { account: 'empty' } });
        expect(json).toEqual({ data: [], next_cursor: null, has_more: false });
      }
    }),
    ...['', '&limit=100', '&type=customer.created', '&type=invoice.paid'].map((parameters) =>
      check(
        'CONTRACT §14',
        `/events?…${parameters} at its end: next_cursor continues with the next event`,
        async (service) => {
          const id = await createCustomer(service);
          const [{ created_at }] = await eventsOf(service, id);
          const target = `/v1/events?created_from=${created_at}${parameters}`;
          const end = await service.send(target);
          expect([end.json.has_more, typeof end.json.next_cursor, parsedLinks(end)]).toEqual([false, 'string', {}]);
          const after = `&after=${end.json.next_cursor}`;
          const idle = { data: [], next_cursor: end.json.next_cursor, has_more: false };
          expect((await service.send(`${target}${after}`)).json).toEqual(idle);
          const { pay, invoice, customer } = makers(service);
          await pay(await invoice({ total_cents: 5, customer_id: await customer() }), 5);
          const expected = ['customer.created', 'invoice.created', 'invoice.paid', 'payment.created'];
          const [type] = /(?<=type=)[a-z.]+/.exec(parameters) ?? [];
          const found = typesOf(await service.send(`${target}${after}`));
          expect(found.sort()).toEqual(expected.filter((one) => !type || one === type));
        },
      ),
    ),
    check('CONTRACT §14', 'another list at its end: next_cursor is null', async (service) => {
      for (const operation of lists) {
        const ids = await sharedPrerequisites(service, operation);
        const path = operation.route.split(' ')[1]?.replace(/\{(\w+)\}/, (_, name: string) => String(ids[name]));
        const { json } = await service.send(`/v1${path}?sort=-id&created_from=2090-01-01T00:00:00Z`);
        const next_cursor = path === '/events' ? expect.any(String) : null;
        expect(json).toEqual({ data: [], has_more: false, next_cursor });
      }
    }),
  ],
};
