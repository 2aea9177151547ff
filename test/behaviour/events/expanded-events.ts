import { expect } from 'expect';
import { SUBJECTS } from '#shared/invoicing/event-subjects.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { makers } from '../support/makers.ts';
import { idsOf } from '../support/pages.ts';
import { createCustomer } from '../support/requests.ts';
import type { Row } from '../support/rows.ts';
import { change, endOf, eventsOf, totalOf } from './customer-events.ts';

export const expandedEvents: Group = {
  name: 'Expanded events',
  checks: [
    ...['v1', 'v2'].map((version) =>
      check('CONTRACT §14', `expand=resource: each resource is as in its GET under ${version}`, async (service) => {
        const make = makers(service);
        const { from } = await endOf(service);
        const payment_id = await make.paymentOf(100, 60);
        await make.create('refunds', { payment_id, amount_cents: 1 });
        await make.itemOf();
        await make.webhook();
        const exported = await make.exported();
        const { json } = await service.send(`/${version}/events?limit=100&expand=resource&created_from=${from}`);
        const types = json.data.map(({ resource_type }: Row) => resource_type);
        expect(new Set(types)).toEqual(new Set(Object.values(SUBJECTS).map(({ type }) => type)));
        for (const { resource_type, resource_id, resource } of json.data) {
          const target = `/${version}/${resource_type.replace('_', '-')}s/${resource_id}`;
          expect([target, resource]).toEqual([target, (await service.send(target)).json]);
        }
        await service.send(`/v1/exports/${exported}/cancel`, { method: 'POST' });
      }),
    ),
    check('CONTRACT §14', 'an expanded event: its ETag has the resource’s version, 0 if deleted', async (service) => {
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
    }),
    check('CONTRACT §6', 'expand=resource with fields: the resource in addition to the fields', async (service) => {
      const customer = await createCustomer(service);
      const resource = expect.objectContaining({ name: 'Ada' });
      const type = 'customer.created';
      expect(await eventsOf(service, customer, '&fields=type&expand=resource')).toEqual([{ type, resource }]);
      const [{ id }] = await eventsOf(service, customer);
      const { json } = await service.send(`/v1/events/${id}?fields=type&expand=resource`);
      expect(json).toEqual({ type, resource });
    }),
    check(
      'CONTRACT §14',
      'expand=resource without the read scope of a type on the page: 403; no other scope is needed',
      async (service) => {
        const { customer, invoice } = makers(service);
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
      },
    ),
    check('CONTRACT §6', 'expand with an unknown relation: 422', async (service) => {
      expect((await service.send('/v1/events?expand=customer')).status).toBe(422);
    }),
  ],
};
