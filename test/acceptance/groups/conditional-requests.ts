import { expect } from 'expect';
import { check, type Group } from '../suite/check.ts';
import type { Service } from '../suite/service.ts';

const createInvoice = async (service: Service, body: object = {}): Promise<string> =>
  (await service.create('/v1/invoices', body)).headers['location'] as string;

const patch = (service: Service, path: string, body: object, headers = {}) =>
  service.send(path, { method: 'PATCH', body, headers });

const MATCHING = ['"1"', 'W/"1"', '"0", "1"', '"0" , W/"1"', '*', ' "1" '];
const OTHERS = ['"2"', '"11"', '1', 'W/"2"'];

export const conditionalRequests: Group = {
  name: 'Conditional requests',
  checks: [
    check('CONTRACT §7', 'each write that changes an invoice: its ETag is the next version', async (service) => {
      const path = await createInvoice(service);
      expect((await service.send(path)).headers['etag']).toBe('"1"');
      expect((await patch(service, path, { description: 'x' })).headers['etag']).toBe('"2"');
      expect((await service.send(path, { method: 'PUT', body: {} })).headers['etag']).toBe('"3"');
      expect((await service.send(`${path}/cancel`, { method: 'POST' })).headers['etag']).toBe('"4"');
      expect((await service.send(`${path}?fields=id`)).headers['etag']).toBe('"4"');
      expect((await service.send(path.replace('v1', 'v2'))).headers['etag']).toBe('"4"');
    }),
    ...MATCHING.map((tag) =>
      check('CONTRACT §7', `If-None-Match ${tag}, which matches: 304 with an empty body`, async (service) => {
        const answer = await service.send(await createInvoice(service), { headers: { 'if-none-match': tag } });
        expect([answer.status, answer.text]).toEqual([304, '']);
        expect(answer.headers['etag']).toBe('"1"');
        expect(answer.headers['cache-control']).toBe('private, max-age=60');
      }),
    ),
    ...OTHERS.map((tag) =>
      check('§4', `If-None-Match ${tag}, which does not match: 200`, async (service) => {
        const answer = await service.send(await createInvoice(service), { headers: { 'if-none-match': tag } });
        expect(answer.status).toBe(200);
      }),
    ),
  ],
};
