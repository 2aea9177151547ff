import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { createCustomer } from '../support/requests.ts';
import { eventsOf, totalOf } from './customer-events.ts';

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

export const eventsOfNothing: Group = {
  name: 'Events of nothing',
  checks: [
    ...Object.entries(NO_EVENT).map(([title, prepare]) =>
      check('CONTRACT §14', `${title}: no event`, async (service) => {
        const act = await prepare(service);
        const before = await totalOf(service);
        await act();
        expect(await totalOf(service)).toBe(before);
      }),
    ),
    check('CONTRACT §14', 'a counter of a customer changes: no event of the customer', async (service) => {
      const customer_id = await createCustomer(service);
      const before = await totalOf(service);
      await service.create('/v1/invoices', { customer_id });
      expect(await totalOf(service)).toBe(before + 1);
      expect(await eventsOf(service, customer_id)).toHaveLength(1);
    }),
  ],
};
