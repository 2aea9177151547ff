import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { created, idOf, outcome, patch, pay, post, put, refund } from '../support/requests.ts';

const create = (service: Service, body: object = {}) => created(service, 'invoices', body);

const patchIf = (service: Service, path: string, tag: string, body: object = { description: 'x' }) =>
  patch(service, path, body, { headers: { 'if-match': tag } });

const NOT_MODIFIED = ['"1-gzip"', 'W/"1-br"', '"1"', 'W/"1"', '"0", "1"', '"0" , W/"1"', '*', ' "1" '];
const MODIFIED = ['"2"', '"11"', '1', '', 'W/"2"'];
const MATCHING = ['"1"', 'W/"1"', '"7", "1"', '*', '"1-5"'];
const STALE = ['"0"', '"2"', '"11"', '"7", "8"', '"2-1"'];
const MALFORMED = ['1', '"1', '"1" "2"', 'x'];

const tags = [
  check('CONTRACT §7', 'each write that changes an invoice: its ETag is the next version', async (service) => {
    const path = await create(service);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    expect((await patch(service, path, { description: 'x' })).headers['etag']).toBe('"2"');
    expect((await put(service, path, {})).headers['etag']).toBe('"3"');
    expect((await post(service, `${path}/cancel`)).headers['etag']).toBe('"4"');
    expect((await service.send(`${path}?fields=id`)).headers['etag']).toBe('"4"');
    expect((await service.send(path.replace('v1', 'v2'))).headers['etag']).toBe('"4"');
  }),
  check(
    'CONTRACT §7',
    'a payment: the next ETag of its invoice; a refund: the next ETag of its payment',
    async (service) => {
      const path = await create(service, { total_cents: 9 });
      const { json } = await pay(service, idOf(path), 5);
      expect((await service.send(path)).headers['etag']).toBe('"2"');
      await refund(service, json.id, 1);
      expect((await service.send(`/v1/payments/${json.id}`)).headers['etag']).toBe('"2"');
      expect((await service.send(path)).headers['etag']).toBe('"2"');
    },
  ),
  check('CONTRACT §7', 'expand=customer: the ETag has both versions and changes with either', async (service) => {
    const customer = await created(service, 'customers', { name: 'Ann' });
    const path = await create(service, { customer_id: idOf(customer) });
    const tag = async () => (await service.send(`${path}?expand=customer`)).headers['etag'];
    expect(await tag()).toBe('"1-1"');
    await patch(service, customer, { name: 'Bea' });
    expect(await tag()).toBe('"1-2"');
    await patch(service, path, { description: 'x' });
    expect(await tag()).toBe('"2-2"');
    const headers = { 'if-none-match': '"2-2"' };
    expect((await service.send(`${path}?expand=customer`, { headers })).status).toBe(304);
    expect((await service.send(path, { headers })).status).toBe(200);
  }),
  check('CONTRACT §4', 'PATCH or PUT that changes nothing: 200 with the same ETag and updated_at', async (service) => {
    const path = await create(service, { description: 'x' });
    const before = await service.send(path);
    for (const answer of [
      await patch(service, path, { description: 'x' }),
      await patch(service, path, {}),
      await put(service, path, before.json),
    ])
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, before.text, '"1"']);
    expect((await service.send(path)).text).toBe(before.text);
  }),
];

const reads = [
  ...NOT_MODIFIED.map((tag) =>
    check('CONTRACT §7', `If-None-Match ${tag}, which matches: 304 with an empty body`, async (service) => {
      const path = await create(service);
      const answer = await service.send(path, { headers: { 'if-none-match': tag } });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers['etag']).toBe('"1"');
      expect(answer.headers['cache-control']).toBe('private, max-age=60');
      expect((await service.send(path)).headers['cache-control']).toBe('private, max-age=60');
    }),
  ),
  ...MODIFIED.map((tag) =>
    check('§4', `If-None-Match ${JSON.stringify(tag)}, which does not match: 200`, async (service) => {
      const answer = await service.send(await create(service), { headers: { 'if-none-match': tag } });
      expect([answer.status, answer.json.status]).toEqual([200, 'open']);
    }),
  ),
  check('§4', 'If-None-Match with the ETag before a change: 200 with the new state', async (service) => {
    const path = await create(service);
    await patch(service, path, { description: 'x' });
    const answer = await service.send(path, { headers: { 'if-none-match': '"1"' } });
    expect([answer.status, answer.json.description]).toEqual([200, 'x']);
  }),
  check('CONTRACT §12', 'HEAD with a matching If-None-Match: 304', async (service) => {
    const sent = { method: 'HEAD', headers: { 'if-none-match': '"1"' } };
    const answer = await service.send(await create(service), sent);
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', '"1"']);
  }),
  check('CONTRACT §7', 'a list: Cache-Control is private, no-cache', async (service) => {
    expect((await service.send('/v1/invoices')).headers['cache-control']).toBe('private, no-cache');
  }),
  check('CONTRACT §12', 'If-None-Match of a resource that does not exist: 404', async (service) => {
    const answer = await service.send('/v1/invoices/12345', { headers: { 'if-none-match': '*' } });
    expect(outcome(answer)).toEqual([404, 'not-found']);
  }),
];

const writes = [
  ...MATCHING.map((tag) =>
    check('CONTRACT §7', `If-Match ${tag}, which matches: the write proceeds`, async (service) => {
      const answer = await patchIf(service, await create(service), tag);
      expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
    }),
  ),
  ...STALE.map((tag) =>
    check('CONTRACT §7', `If-Match ${tag}, which does not match: 412 with the current ETag`, async (service) => {
      const path = await create(service);
      const answer = await patchIf(service, path, tag);
      expect([...outcome(answer), answer.headers['etag']]).toEqual([412, 'precondition-failed', '"1"']);
      expect((await service.send(path)).json.description).toBeNull();
    }),
  ),
  ...MALFORMED.map((tag) =>
    check('CONTRACT §7', `the malformed If-Match ${JSON.stringify(tag)}: 400, nothing changes`, async (service) => {
      const path = await create(service);
      expect(outcome(await patchIf(service, path, tag))).toEqual([400, 'invalid-header']);
      expect((await service.send(path)).headers['etag']).toBe('"1"');
    }),
  ),
  ...['PATCH', 'PUT', 'DELETE'].map((method) =>
    check('§4', `${method} with a stale ETag: 412 with the current ETag, nothing changes`, async (service) => {
      const path = await create(service, { description: 'a' });
      await patch(service, path, { description: 'b' });
      const body = method === 'DELETE' ? {} : { body: { description: 'c' } };
      const answer = await service.send(path, { method, headers: { 'if-match': '"1"' }, ...body });
      expect([...outcome(answer), answer.headers['etag']]).toEqual([412, 'precondition-failed', '"2"']);
      expect((await service.send(path)).json.description).toBe('b');
    }),
  ),
  check('CONTRACT §2', 'a stale ETag on a closed invoice: 412; the current one: the state rule', async (service) => {
    const path = await create(service);
    await patch(service, path, { status: 'paid' });
    expect((await patchIf(service, path, '"1"')).status).toBe(412);
    expect(outcome(await patchIf(service, path, '"2"'))).toEqual([422, 'invoice-closed']);
  }),
  check('CONTRACT §2', 'a stale ETag and an invalid body: 422; of a missing resource: 404', async (service) => {
    const path = await create(service);
    expect(outcome(await patchIf(service, path, '"9"', { nope: 1 }))).toEqual([422, 'validation-failed']);
    expect(outcome(await patchIf(service, '/v1/invoices/12345', '"9"'))).toEqual([404, 'not-found']);
  }),
  check('CONTRACT §12', 'If-Match on GET, If-None-Match on a write: ignored', async (service) => {
    const path = await create(service);
    expect((await service.send(path, { headers: { 'if-match': 'nonsense' } })).status).toBe(200);
    const headers = { 'if-none-match': '*' };
    expect((await patch(service, path, { description: 'x' }, { headers })).status).toBe(200);
  }),
];

export const conditionalRequests: Group = { name: 'Conditional requests', checks: [...tags, ...reads, ...writes] };
