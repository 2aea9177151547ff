import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkInvariants } from '#test/support/invariants.ts';
import { type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const create = async (body: object = {}, collection = 'invoices'): Promise<string> => {
  const { headers } = await service.send(`/v1/${collection}`, { method: 'POST', body });
  return headers['location'] as string;
};
const patch = (path: string, body: object, headers = {}) => service.send(path, { method: 'PATCH', body, headers });

describe('ETag and If-None-Match', () => {
  test('a member GET, or a write that returns a member: a strong ETag with the version [CONTRACT §7]', async () => {
    const created = await service.send('/v1/invoices', { method: 'POST', body: {} });
    const path = created.headers['location'] as string;
    expect(created.headers['etag']).toBe('"1"');
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    expect((await patch(path, { description: 'x' })).headers['etag']).toBe('"2"');
    expect((await service.send(path, { method: 'PUT', body: {} })).headers['etag']).toBe('"3"');
    expect((await service.send(`${path}/cancel`, { method: 'POST' })).headers['etag']).toBe('"4"');
    expect((await service.send(`${path}?fields=id`)).headers['etag']).toBe('"4"');
    expect((await service.send(path.replace('v1', 'v2'))).headers['etag']).toBe('"4"');
  });

  const MATCHING = ['"1"', 'W/"1"', '"0", "1"', '"0" , W/"1"', '*', ' "1" '];
  test.each(MATCHING)('If-None-Match %s, which matches: 304 with an empty body [§4, CONTRACT §7]', async (tag) => {
    const path = await create();
    const answer = await service.send(path, { headers: { 'if-none-match': tag } });
    const full = await service.send(path);
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers['etag']).toBe('"1"');
    expect(answer.headers['cache-control']).toBe('private, max-age=60');
    expect(full.headers['cache-control']).toBe(answer.headers['cache-control']);
  });

  test.each(['"2"', '"11"', '1', '', 'W/"2"'])('If-None-Match %j, which does not match: 200 [§4]', async (tag) => {
    expect((await service.send(await create(), { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  test('HEAD with a matching If-None-Match: 304 [CONTRACT §12]', async () => {
    const answer = await service.send(await create(), { method: 'HEAD', headers: { 'if-none-match': '"1"' } });
    expect([answer.status, answer.text]).toEqual([304, '']);
  });

  test('a list: Cache-Control is private, no-cache [CONTRACT §7]', async () => {
    expect((await service.send('/v1/invoices')).headers['cache-control']).toBe('private, no-cache');
  });

  test('expand=customer: the tag holds both versions and changes with either [CONTRACT §7]', async () => {
    const customer = await create({ name: 'Ann' }, 'customers');
    const path = await create({ customer_id: Number(customer.split('/').at(-1)) });
    const tag = async () => (await service.send(`${path}?expand=customer`)).headers['etag'];
    expect(await tag()).toBe('"1-1"');
    await patch(customer, { name: 'Bea' });
    expect(await tag()).toBe('"1-2"');
    await patch(path, { description: 'x' });
    expect(await tag()).toBe('"2-2"');
    const answer = await service.send(`${path}?expand=customer`, { headers: { 'if-none-match': '"2-2"' } });
    expect(answer.status).toBe(304);
  });
});

describe('writes with If-Match', () => {
  const MATCHING = ['"1"', 'W/"1"', '"7", "1"', '*', '"1-5"'];
  test.each(MATCHING)('If-Match %s, which matches: the write proceeds [§4, CONTRACT §7]', async (tag) => {
    const answer = await patch(await create(), { description: 'x' }, { 'if-match': tag });
    expect([answer.status, answer.headers['etag']]).toEqual([200, '"2"']);
  });

  test.each(['PATCH', 'PUT', 'DELETE'])(
    '%s with a stale ETag: 412 with the current ETag, nothing changes [§4, CONTRACT §7]',
    async (method) => {
      const path = await create({ description: 'a' });
      await patch(path, { description: 'b' });
      const body = method === 'DELETE' ? undefined : { description: 'c' };
      const answer = await service.send(path, { method, headers: { 'if-match': '"1"' }, ...(body && { body }) });
      expect([answer.status, answer.json.code, answer.headers['etag']]).toEqual([412, 'precondition-failed', '"2"']);
      expect((await service.send(path)).json.description).toBe('b');
    },
  );

  test('a stale ETag on a closed invoice: 412, not the state rule [CONTRACT §2]', async () => {
    const path = await create();
    await patch(path, { status: 'paid' });
    expect((await patch(path, { description: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await patch(path, { description: 'x' }, { 'if-match': '"2"' })).json.code).toBe('invoice-closed');
  });

  test('If-Match on GET, If-None-Match on a write: ignored [CONTRACT §12]', async () => {
    const path = await create();
    expect((await service.send(path, { headers: { 'if-match': 'nonsense' } })).status).toBe(200);
    expect((await patch(path, { description: 'x' }, { 'if-none-match': '*' })).status).toBe(200);
  });

  test('20 writers with the same tag: exactly one wins [CONTRACT §7]', async () => {
    const path = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch(path, { description: `writer ${i}` }, { 'if-match': '"1"' })),
    );
    const [won, lost] = [
      answers.filter(({ status }) => status === 200),
      answers.filter(({ status }) => status === 412),
    ];
    expect([won.length, lost.length]).toEqual([1, 19]);
    for (const answer of lost) expect(answer.headers['etag']).toBe('"2"');
    expect((await service.send(path)).text).toBe(won[0]?.text);
  });

  test('20 writers without a tag: all proceed, each atomically [CONTRACT §7]', async () => {
    const path = await create();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch(path, { metadata: { [`writer${i}`]: 'was here' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const after = await service.send(path);
    expect(Object.keys(after.json.metadata)).toHaveLength(20);
    expect(after.headers['etag']).toBe('"21"');
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(20);
  });

  test('PATCH or PUT that changes nothing: 200 with the same tag [CONTRACT §4]', async () => {
    const path = await create({ description: 'x' });
    const before = await service.send(path);
    const answers = [
      await patch(path, { description: 'x' }),
      await patch(path, {}),
      await service.send(path, { method: 'PUT', body: before.json }),
    ];
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([200, before.text]);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
  });
});
