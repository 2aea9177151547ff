import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import {
  addItem,
  created,
  idOf,
  invoiceIn,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
  times,
} from '../support/requests.ts';

const create = (service: Service, body: object = {}) => created(service, 'invoices', body);

const EMPTY = {
  ...{ status: 'open', total_cents: 0, currency: 'USD', customer_id: null, due_date: null, description: null },
  ...{ metadata: {}, amount_paid_cents: 0, amount_due_cents: 0, paid_at: null, canceled_at: null },
};

const statuses = [
  ...([patch, put] as const).map((write) => {
    const title = `${write.name.toUpperCase()} of the status from draft to open to paid: 200, the amount due is 0`;
    return check('CONTRACT §4', title, async (service) => {
      const total_cents = 500;
      const path = await create(service, { status: 'draft', total_cents });
      expect((await service.send(path)).json).toMatchObject({ status: 'draft', amount_due_cents: 500 });
      const opened = await write(service, path, { status: 'open', total_cents });
      expect(opened.json).toMatchObject({ status: 'open', amount_due_cents: 500 });
      const { json } = await write(service, path, { status: 'paid', total_cents });
      expect(json).toMatchObject({ status: 'paid', amount_due_cents: 0, amount_paid_cents: 0, total_cents });
      expect([json.paid_at, json.canceled_at]).toEqual([json.updated_at, null]);
      expect((await service.send(path)).json).toEqual(json);
    });
  }),
  check('CONTRACT §4', 'PATCH of a closed invoice with its own values: 200, nothing changes', async (service) => {
    for (const status of ['paid', 'canceled']) {
      const path = await invoiceIn(service, status);
      const before = await service.send(path);
      const answer = await patch(service, path, { status, description: null });
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, before.text, before.headers['etag']]);
    }
  }),
  ...['paid', 'canceled'].map((status) =>
    check(
      'CONTRACT §4',
      `PATCH and PUT of metadata of a ${status} invoice: 200, nothing else changes`,
      async (service) => {
        const path = await invoiceIn(service, status);
        const { json: before } = await service.send(path);
        const patched = await patch(service, path, { metadata: { ledger: '7' } });
        const { updated_at } = patched.json;
        expect([patched.status, patched.json]).toEqual([200, { ...before, metadata: { ledger: '7' }, updated_at }]);
        const tooMany = { metadata: Object.fromEntries(times(20, (i) => [`key${i}`, 'x'])) };
        expect(outcome(await patch(service, path, tooMany))).toEqual([422, 'validation-failed']);
        const replaced = await put(service, path, { ...before, metadata: {} });
        expect([replaced.status, replaced.json.metadata, replaced.json.paid_at]).toEqual([200, {}, before.paid_at]);
      },
    ),
  ),
  ...['paid', 'canceled'].map((status) =>
    check('CONTRACT §4', `POST of an invoice with the status ${status}: 422 at /status`, async (service) => {
      const answer = await post(service, '/v1/invoices', { status });
      expect([...outcome(answer), ...pointersOf(answer)]).toEqual([422, 'validation-failed', '/status']);
    }),
  ),
];

const cancellation = [
  ...['draft', 'open'].map((status) =>
    check(
      'CONTRACT §4',
      `cancel of a ${status} invoice: 200 canceled; again: 200, nothing changes`,
      async (service) => {
        const path = await create(service, { status, total_cents: 9 });
        const first = await post(service, `${path}/cancel`);
        const { updated_at: canceled_at } = first.json;
        expect([first.status, first.headers['etag']]).toEqual([200, '"2"']);
        expect(first.json).toMatchObject({ status: 'canceled', total_cents: 9, amount_due_cents: 0, canceled_at });
        const again = await post(service, `${path}/cancel`, {});
        expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
        expect((await service.send(path)).text).toBe(first.text);
      },
    ),
  ),
  check('CONTRACT §4', 'cancel of a paid invoice: 409, nothing changes', async (service) => {
    const path = await invoiceIn(service, 'paid');
    expect(outcome(await post(service, `${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect((await service.send(path)).json.status).toBe('paid');
  }),
  check('CONTRACT §4', 'cancel of an open invoice with a payment: 409, nothing changes', async (service) => {
    const path = await create(service, { total_cents: 9 });
    await pay(service, idOf(path), 1);
    expect(outcome(await post(service, `${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect((await service.send(path)).json).toMatchObject({ status: 'open', canceled_at: null });
  }),
  check('CONTRACT §12', 'cancel without a body, with any Content-Type: 200; with a field: 422', async (service) => {
    const path = await create(service);
    const cancel = (body: unknown, type: string) =>
      service.send(`${path}/cancel`, {
        method: 'POST',
        headers: { 'content-type': type },
        ...(body !== undefined && { body }),
      });
    expect((await cancel(undefined, 'text/plain')).status).toBe(200);
    expect((await cancel('', 'application/xml')).status).toBe(200);
    expect(pointersOf(await cancel({ status: 'open' }, 'application/json'))).toEqual(['/status']);
    expect(outcome(await cancel('x', 'text/plain'))).toEqual([415, 'unsupported-media-type']);
  }),
];

const deletion = [
  ...['draft', 'open', 'canceled'].map((status) =>
    check('CONTRACT §4', `DELETE of a ${status} invoice: 204, then 404`, async (service) => {
      const path = await invoiceIn(service, status);
      expect((await remove(service, path)).status).toBe(204);
      expect(outcome(await service.send(path))).toEqual([404, 'not-found']);
      expect(outcome(await post(service, `${path}/cancel`))).toEqual([404, 'not-found']);
    }),
  ),
  check('CONTRACT §12', 'DELETE of an invoice settled outside: 409 invoice-closed', async (service) => {
    const path = await invoiceIn(service, 'paid');
    expect(outcome(await remove(service, path))).toEqual([409, 'invoice-closed']);
    expect((await service.send(path)).status).toBe(200);
  }),
];

const fields = [
  check('CONTRACT §4', 'POST of an empty object: creates an open invoice of 0 USD', async (service) => {
    const { status, json, headers } = await post(service, '/v1/invoices', {});
    const { id, created_at, updated_at, ...rest } = json;
    expect([status, headers['location'], headers['etag']]).toEqual([201, `/v1/invoices/${id}`, '"1"']);
    expect([rest, updated_at]).toEqual([EMPTY, created_at]);
  }),
  check('CONTRACT §4', 'read-only fields in a body: accepted and ignored', async (service) => {
    const computed = { amount_paid_cents: -5, amount_due_cents: {}, paid_at: 1, canceled_at: [] };
    const body = { id: 'x', created_at: null, updated_at: 7, ...computed };
    const { status, json } = await post(service, '/v1/invoices', { ...body, total_cents: 5 });
    expect([status, json.amount_paid_cents, json.amount_due_cents, json.paid_at]).toEqual([201, 0, 5, null]);
    const path = `/v1/invoices/${json.id}`;
    expect((await patch(service, path, body)).json).toEqual(json);
    expect((await put(service, path, { ...body, total_cents: 5 })).json).toEqual(json);
  }),
  check('CONTRACT §4', 'PUT without status: it stays, other omitted fields get their defaults', async (service) => {
    const body = { status: 'draft', total_cents: 5, currency: 'EUR', description: 'x', metadata: { a: 'b' } };
    const path = await create(service, body);
    const { json } = await put(service, path, { due_date: '2026-12-31' });
    const expected = { ...EMPTY, status: 'draft', due_date: '2026-12-31' };
    expect(json).toMatchObject(expected);
    expect((await service.send(path)).json).toEqual(json);
  }),
  check(
    'CONTRACT §4',
    'PUT of a locked invoice without the currency or the total: the missing value stays',
    async (service) => {
      const [flat, itemized] = [
        await create(service, { total_cents: 9, currency: 'EUR' }),
        await create(service, { currency: 'EUR' }),
      ];
      await pay(service, idOf(flat), 4);
      await addItem(service, idOf(itemized), 9);
      const v2 = (path: string) => path.replace('/v1', '/v2');
      const kept = { total_cents: 9, currency: 'EUR', status: 'open' };
      for (const answer of [
        await put(service, flat, { total_cents: 9 }),
        await put(service, itemized, { total_cents: 9 }),
        await put(service, itemized, {}),
        await put(service, itemized, { currency: 'EUR' }),
      ])
        expect([answer.status, answer.json]).toEqual([200, expect.objectContaining(kept)]);
      for (const answer of [
        await put(service, v2(flat), { total: { amount: 9 } }),
        await put(service, v2(itemized), { total: { amount: 9 } }),
        await put(service, v2(itemized), {}),
      ])
        expect([answer.status, answer.json.total]).toEqual([200, { amount: 9, currency: 'EUR' }]);
      expect(outcome(await put(service, flat, { total_cents: 9, currency: 'USD' }))).toEqual([422, 'currency-locked']);
      expect(outcome(await put(service, flat, {}))).toEqual([422, 'total-below-paid']);
    },
  ),
  check('CONTRACT §4', 'PATCH of the total of a flat invoice: amount_due_cents follows', async (service) => {
    const path = await create(service, { total_cents: 5 });
    expect((await patch(service, path, { total_cents: 7 })).json).toMatchObject({
      total_cents: 7,
      amount_due_cents: 7,
    });
    expect((await service.send(path)).json.amount_due_cents).toBe(7);
  }),
  check('CONTRACT §4', 'PATCH of the currency of an invoice without payments and items: 200', async (service) => {
    const path = await create(service, { total_cents: 5 });
    expect((await patch(service, path, { currency: 'EUR' })).json.currency).toBe('EUR');
  }),
];

export const invoices: Group = { name: 'Invoices', checks: [...fields, ...statuses, ...cancellation, ...deletion] };
