import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { outcome, patch, pointersOf, post, times, totalOf } from '../support/requests.ts';

const item = (unit_amount_cents: number, more: object = {}) => ({ description: 'Work', unit_amount_cents, ...more });

const send = (service: Service, body: object, headers = {}) => post(service, '/v1/invoices', body, { headers });

const itemsOf = async (service: Service, id: number) =>
  (await service.send(`/v1/invoice-items?invoice_id=${id}&limit=100`)).json.data;

const BODY = { items: [item(5), item(6)] };

export const inlineItemRequests: Group = {
  name: 'Requests that create an invoice with items',
  checks: [
    check('CONTRACT §8', 'the same key and body: the stored response, and no second item', async (service) => {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await send(service, BODY, headers);
      const [stored] = await itemsOf(service, first.json.id);
      await patch(service, `/v1/invoice-items/${stored.id}`, { quantity: 2 });
      const replay = await send(service, BODY, headers);
      expect([replay.status, replay.text, replay.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
      for (const name of ['location', 'etag']) expect(replay.headers[name]).toBe(first.headers[name]);
      const other = await send(service, { items: BODY.items.toReversed() }, headers);
      expect(outcome(other)).toEqual([422, 'idempotency-key-reused']);
      const invalid = await send(service, { ...BODY, total_cents: 1 }, headers);
      expect([...outcome(invalid), ...pointersOf(invalid)]).toEqual([422, 'validation-failed', '/total_cents']);
      expect(await itemsOf(service, first.json.id)).toHaveLength(2);
    }),
    check(
      'CONTRACT §13',
      'a dry run: the same status and body with a null id, and nothing is stored',
      async (service) => {
        const customer_id = (await service.create('/v1/customers', { name: 'Ada' })).json.id;
        const body = { customer_id, ...BODY, items: times(95, () => item(2)) };
        const [invoices, items] = [await totalOf(service, '/invoices'), await totalOf(service, '/invoice-items')];
        const dry = await post(service, '/v1/invoices?dry_run=true', body);
        expect(dry.headers).toMatchObject({ 'dry-run': 'true' });
        for (const name of ['etag', 'location']) expect(dry.headers).not.toHaveProperty(name);
        expect([await totalOf(service, '/invoices'), await totalOf(service, '/invoice-items')]).toEqual([
          invoices,
          items,
        ]);
        const { status, json } = await send(service, body);
        const { created_at, updated_at } = dry.json;
        expect([dry.status, dry.json]).toEqual([status, { ...json, id: null, created_at, updated_at }]);
        const refused = await post(service, '/v1/invoices?dry_run=true', { ...body, total_cents: 1 });
        expect(pointersOf(refused)).toEqual(['/total_cents']);
      },
    ),
    check(
      'CONTRACT §2',
      'items with an unknown customer: 404, no item is stored; violations come first',
      async (service) => {
        const before = await totalOf(service, '/invoice-items');
        expect(outcome(await send(service, { ...BODY, customer_id: 1 }))).toEqual([404, 'not-found']);
        expect(outcome(await send(service, { ...BODY, customer_id: 1, total_cents: 1 }))).toEqual([
          422,
          'validation-failed',
        ]);
        expect(await totalOf(service, '/invoice-items')).toBe(before);
      },
    ),
    check('CONTRACT §2', 'items need invoices:write, and no other scope', async (service) => {
      const as = (scope: string) => post(service, '/v1/invoices', BODY, { as: { scope } });
      expect((await as('invoices:write')).status).toBe(201);
      expect(outcome(await as('invoices:read'))).toEqual([403, 'insufficient-scope']);
    }),
    check('CONTRACT §10', 'a body with items of 256 KiB: 201; of one more byte: 413', async (service) => {
      const fill = (length: number) => times(80, () => item(1, { description: '\u{10000}'.repeat(length) }));
      const json = JSON.stringify({ items: fill(800) });
      const padded = `${json}${' '.repeat(262_144 - Buffer.byteLength(json))}`;
      const headers = { 'content-type': 'application/json' };
      const sent = (text: string) => service.send('/v1/invoices', { method: 'POST', headers, body: text });
      expect([(await sent(padded)).status, outcome(await sent(`${padded} `))]).toEqual([201, [413, 'body-too-large']]);
    }),
    check(
      'CONTRACT §14',
      'items in POST: one event each, created together with that of the invoice',
      async (service) => {
        const position = (await service.send('/v1/events?sort=-id&limit=1')).json.data[0]?.sequence ?? 0;
        const { json, headers } = await send(service, BODY);
        const ids = (await itemsOf(service, json.id)).map(({ id }: { id: number }) => id);
        const { data } = (await service.send('/v1/events?sort=-id&limit=3')).json;
        const rows = data.map(({ type, resource_id, version, sequence }: Record<string, unknown>) => [
          ...[type, resource_id, version, sequence],
        ]);
        expect(rows.reverse()).toEqual([
          ['invoice.created', json.id, 1, position + 1],
          ['invoice_item.created', ids[0], 1, position + 2],
          ['invoice_item.created', ids[1], 1, position + 3],
        ]);
        for (const event of data) {
          expect([event.changed, event.request_id]).toEqual([[], headers['x-request-id']]);
        }
      },
    ),
    check('CONTRACT §9', 'an export of invoices with items: the rows of GET, without the items', async (service) => {
      const { json } = await send(service, BODY);
      const job = (await service.create('/v1/exports', { type: 'invoices', format: 'jsonl' })).json;
      const path = `/v1/exports/${job.id}`;
      await service.until(path, (answer) => answer.json.status === 'completed');
      const { headers } = await service.send(`${path}/file`);
      const { bytes } = await service.download(headers['location'] as string);
      const row = bytes
        .toString()
        .split('\n')
        .find((text) => text.includes(`"id":${json.id},`));
      expect(JSON.parse(row as string)).toEqual((await service.send(`/v1/invoices/${json.id}`)).json);
    }),
  ],
};
