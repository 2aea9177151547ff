import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { addItem, created, idOf, outcome, patch, remove } from '../support/requests.ts';

const LINE = { description: 'Work', unit_amount_cents: 5 };
const VERSIONS = ['v1', 'v2'];

const create = (service: Service, body: object = {}) => created(service, 'invoices', { items: [LINE, LINE], ...body });
const listed = async (service: Service, version: string, path: string) =>
  (await service.send(`/${version}/invoice-items?invoice_id=${idOf(path)}&limit=100`)).json.data;

const bodies = VERSIONS.flatMap((version) => [
  check('CONTRACT §4', `${version}, expand=items: the invoice with the members of invoice-items`, async (service) => {
    const path = (await create(service)).replace('v1', version);
    await addItem(service, idOf(path), 7, { quantity: 3 });
    const plain = (await service.send(path)).json;
    const { status, json } = await service.send(`${path}?expand=items`);
    const items = await listed(service, version, path);
    expect([status, json]).toEqual([200, { ...plain, items }]);
    expect(Object.keys(json).at(-1)).toBe('items');
    const ids = items.map(({ id }: { id: number }) => id);
    expect([ids.length, ids]).toEqual([3, ids.toSorted((a: number, b: number) => a - b)]);
    const members = await Promise.all(ids.map((id: number) => service.send(`/${version}/invoice-items/${id}`)));
    expect(json.items).toEqual(members.map((member) => member.json));
  }),
  check('CONTRACT §4', `${version}, expand=items of an invoice without items: []`, async (service) => {
    const path = (await create(service, { items: [], total_cents: 9 })).replace('v1', version);
    expect((await service.send(`${path}?expand=items`)).json.items).toEqual([]);
  }),
  check('CONTRACT §4', `${version}, expand=items on a list: 422 at expand`, async (service) => {
    for (const query of ['expand=items', 'expand=customer,items', 'limit=1&expand=items']) {
      const { status, json } = await service.send(`/${version}/invoices?${query}`);
      expect([status, json.code, json.errors[0]]).toMatchObject([422, 'validation-failed', { parameter: 'expand' }]);
    }
    const path = (await create(service)).replace('v1', version);
    expect((await service.send(`${path}/payments?expand=items`)).status).toBe(422);
  }),
]);

const selections = [
  check('CONTRACT §4', 'expand=customer,items: both, in any order', async (service) => {
    const customer = await created(service, 'customers', { name: 'Ann' });
    const path = await create(service, { customer_id: idOf(customer) });
    const { json, headers, text } = await service.send(`${path}?expand=customer,items&fields=id`);
    const items = await listed(service, 'v1', path);
    expect(json).toEqual({ id: idOf(path), customer: (await service.send(customer)).json, items });
    const other = await service.send(`${path}?fields=id&expand=items,customer,items`);
    expect([other.text, other.headers['etag']]).toEqual([text, headers['etag']]);
  }),
  check('CONTRACT §6', 'fields with expand=items: these fields of the invoice, all of the items', async (service) => {
    const path = await create(service);
    const items = await listed(service, 'v1', path);
    for (const [fields, expected] of [
      ['status', { status: 'open' }],
      ['total_cents,id', { id: idOf(path), total_cents: 10 }],
    ] as const)
      expect((await service.send(`${path}?expand=items&fields=${fields}`)).json).toEqual({ ...expected, items });
  }),
  check('CONTRACT §2', 'expand=items needs invoices:read, and no other scope', async (service) => {
    const path = `${await create(service)}?expand=items`;
    expect((await service.send(path, { as: { scope: 'invoices:read' } })).status).toBe(200);
    const both = await service.send(`${path},customer`, { as: { scope: 'invoices:read' } });
    expect(outcome(both)).toEqual([403, 'insufficient-scope']);
    expect(outcome(await service.send(path, { as: { account: 'other' } }))).toEqual([404, 'not-found']);
    expect(outcome(await service.send('/v1/invoices/1?expand=items'))).toEqual([404, 'not-found']);
  }),
];

const tags = [
  check('CONTRACT §4', 'a change of an item: another ETag, also if the invoice stays the same', async (service) => {
    const path = await create(service);
    const [first, second] = (await listed(service, 'v1', path)).map(
      ({ id }: { id: number }) => `/v1/invoice-items/${id}`,
    ) as [string, string];
    const read = (headers = {}) => service.send(`${path}?expand=items`, { headers });
    const seen = new Set<string>();
    const changes = [
      () => patch(service, first, { description: 'x' }),
      () => patch(service, second, { description: 'x' }),
      () => patch(service, first, { quantity: 5, unit_amount_cents: 1 }),
      () => patch(service, first, { quantity: 6 }),
      () => patch(service, path, { description: 'x' }),
      () => addItem(service, idOf(path), 0),
      () => remove(service, second),
      () => remove(service, first),
    ];
    for (const change of [async () => {}, ...changes]) {
      await change();
      const { headers, json } = await read();
      const etag = headers['etag'] as string;
      expect([seen.has(etag), etag.split('-')[0]]).toEqual([
        false,
        (await service.send(path)).headers['etag']?.slice(0, -1),
      ]);
      expect(json.items).toEqual(await listed(service, 'v1', path));
      const same = await read({ 'if-none-match': etag });
      expect([same.status, same.text, same.headers['etag']]).toEqual([304, '', etag]);
      seen.add(etag);
    }
    expect((await read({ 'if-none-match': [...seen].slice(0, -1).join() })).status).toBe(200);
  }),
  check('CONTRACT §7', 'a tag from a response with items in If-Match: its first part counts', async (service) => {
    const path = await create(service);
    const tag = (await service.send(`${path}?expand=items`)).headers['etag'];
    const [{ id }] = await listed(service, 'v1', path);
    await patch(service, `/v1/invoice-items/${id}`, { description: 'x' });
    const write = () => patch(service, path, { description: 'x' }, { headers: { 'if-match': tag } });
    expect((await write()).status).toBe(200);
    expect(outcome(await write())).toEqual([412, 'precondition-failed']);
  }),
];

export const expandedItems: Group = { name: 'expand=items', checks: [...bodies, ...selections, ...tags] };
