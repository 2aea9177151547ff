import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf, query } from '../support/pages.ts';
import {
  addItem,
  createCustomer,
  created,
  idOf,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
  times,
} from '../support/requests.ts';
import { issued, newSeries } from './series.ts';

const service = await openService();

const DAY_MS = 86_400_000;
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const series = async (terms: object = {}): Promise<number> => idOf(await newSeries(service, terms));
const read = async (path: string) => (await service.send(path)).json;
const prefixOf = async (id: number): Promise<string> => (await read(`/v1/number-series/${id}`)).prefix;

const ISSUED = { issued_at: expect.stringMatching(/Z$/), issue_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) };
const NOT_ISSUED = { number: null, issued_at: null, bill_to: null };

describe('Issuing an invoice', () => {
  test('POST of an open invoice with a series: it has a number, its date and its customer [CONTRACT §4]', async () => {
    const details = { name: 'Ada', email: 'ada@example.com', tax_id: 'GB1', address: { city: 'London' } };
    const customer_id = idOf(await created(service, 'customers', details));
    const series_id = await series({ digits: 3, first_number: 998 });
    const prefix = await prefixOf(series_id);
    const numbers = [];
    for (const _ of times(3, () => 0)) {
      const invoice = await issued(service, series_id, { customer_id });
      expect(invoice).toMatchObject({ ...ISSUED, series_id, bill_to: details, status: 'open' });
      expect(invoice['issued_at']).toBe(invoice['created_at']);
      numbers.push(invoice['number']);
    }
    expect(numbers).toEqual([`${prefix}998`, `${prefix}999`, `${prefix}1000`]);
    expect(await read(`/v1/number-series/${series_id}`)).toMatchObject({
      last_number: 1000,
      last_issue_date: expect.stringMatching(/^\d{4}/),
    });
  });

  for (const [name, change] of [
    ['PATCH', (path: string) => patch(service, path, { status: 'open' })],
    ['PUT', (path: string) => put(service, path, { status: 'open', total_cents: 100 })],
  ] as const) {
    test(`${name} of a draft to open: its number, once, and the event invoice.opened [CONTRACT §4, §14]`, async () => {
      const series_id = await series();
      const path = await created(service, 'invoices', { status: 'draft', total_cents: 100, series_id });
      expect(await read(path)).toMatchObject({ ...NOT_ISSUED, series_id, issue_date: null });
      const { json, headers } = await change(path);
      expect(json).toMatchObject({ ...ISSUED, number: `${await prefixOf(series_id)}00001`, bill_to: null });
      expect(headers['etag']).toBe('"2"');
      expect((await change(path)).json).toEqual(json);
      const { json: events } = await service.send(`/v1/events${query({ resource_id: idOf(path) })}`);
      expect(events.data.at(-1)).toMatchObject({
        type: 'invoice.opened',
        changed: ['issue_date', 'issued_at', 'number', 'status'],
      });
    });
  }

  test('series_id of an open invoice: issued, with the customer of the same request [CONTRACT §4]', async () => {
    const [first, second] = [await createCustomer(service, 'First'), await createCustomer(service, 'Second')];
    const path = await created(service, 'invoices', { total_cents: 100, customer_id: first });
    const series_id = await series();
    const { json } = await patch(service, path, { series_id, customer_id: second });
    expect(json).toMatchObject({ ...ISSUED, bill_to: { name: 'Second' }, customer_id: second, status: 'open' });
    expect((await remove(service, `/v1/customers/${first}`)).status).toBe(204);
    expect(outcome(await remove(service, `/v1/customers/${second}`))).toEqual([409, 'customer-in-use']);
  });

  test('series_id and status paid in one PATCH: issued and settled [CONTRACT §4]', async () => {
    const path = await created(service, 'invoices', { total_cents: 100 });
    const { json } = await patch(service, path, { series_id: await series(), status: 'paid' });
    expect(json).toMatchObject({ ...ISSUED, status: 'paid', number: expect.stringMatching(/-00001$/) });
  });

  test('a customer that changes afterwards: bill_to stays [CONTRACT §4]', async () => {
    const customer_id = await createCustomer(service, 'Before');
    const { id } = await issued(service, await series(), { customer_id });
    await patch(service, `/v1/customers/${customer_id}`, { name: 'After' });
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ bill_to: { name: 'Before' } });
  });

  test('without a series: open, and without a number; its issue_date is stored [CONTRACT §4]', async () => {
    const { json } = await post(service, '/v1/invoices', { issue_date: '2020-01-01' });
    expect(json).toMatchObject({ ...NOT_ISSUED, series_id: null, issue_date: '2020-01-01', status: 'open' });
  });

  test('a draft with a closed series and an early date: judged when it is opened [CONTRACT §4]', async () => {
    const path = await newSeries(service, { status: 'closed' });
    const terms = { status: 'draft', series_id: idOf(path), issue_date: dayIn(3) };
    const invoice = await created(service, 'invoices', terms);
    const open = () => patch(service, invoice, { status: 'open' });
    expect(outcome(await open())).toEqual([422, 'series-closed']);
    await patch(service, path, { status: 'active' });
    expect(outcome(await open())).toEqual([422, 'issue-date-out-of-order']);
    expect((await patch(service, invoice, { status: 'open', issue_date: null })).status).toBe(200);
  });

  test('a draft whose series was deleted: 404 when it is opened, and opened with another series [CONTRACT §4]', async () => {
    const path = await newSeries(service);
    const invoice = await created(service, 'invoices', { status: 'draft', series_id: idOf(path) });
    await remove(service, path);
    const refused = await patch(service, invoice, { status: 'open' });
    expect([...outcome(refused), refused.json.detail]).toEqual([
      404,
      'not-found',
      'No number series has the id in series_id.',
    ]);
    expect((await patch(service, invoice, { description: 'x' })).status).toBe(200);
    expect((await patch(service, invoice, { status: 'open', series_id: await series() })).json).toMatchObject(ISSUED);
  });

  test('an unknown series, in a draft too: 404 that names series_id [CONTRACT §4, §12]', async () => {
    const draft = await created(service, 'invoices', { status: 'draft' });
    for (const answer of [
      await post(service, '/v1/invoices', { series_id: 1 }),
      await post(service, '/v1/invoices', { series_id: 1, status: 'draft' }),
      await patch(service, draft, { series_id: 1 }),
      await put(service, draft, { series_id: 1 }),
    ])
      expect([...outcome(answer), answer.json.detail]).toEqual([
        404,
        'not-found',
        'No number series has the id in series_id.',
      ]);
  });

  testWith('otherAccount')('a series of another account: the same 404 [CONTRACT §2]', async () => {
    const [own, foreign] = [1, await series()].map((series_id) =>
      post(service, '/v1/invoices', { series_id }, { as: { account: 'other' } }),
    );
    const bodies = [await own, await foreign].map((answer) => ({ ...answer?.json, request_id: '' }));
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ code: 'not-found', detail: 'No number series has the id in series_id.' });
  });

  test('the dates of a series: the given one, then the latest, never an earlier one [CONTRACT §4]', async () => {
    const series_id = await series();
    const dated = async (issue_date: string | null) => {
      const { status, json } = await post(service, '/v1/invoices', { series_id, issue_date });
      return [
        status,
        status === 201 ? [json.number.slice(-1), json.issue_date] : [json.code, pointersOf({ json } as never)],
      ];
    };
    const REFUSED = ['issue-date-out-of-order', ['/issue_date']];
    expect(await dated('2020-02-29')).toEqual([201, ['1', '2020-02-29']]);
    expect(await dated('2020-02-28')).toEqual([422, REFUSED]);
    expect(await dated('2020-02-29')).toEqual([201, ['2', '2020-02-29']]);
    expect(await dated(dayIn(3))).toEqual([422, REFUSED]);
    // The request may come after midnight, so tomorrow is at least today.
    const tomorrow = dayIn(1);
    expect(await dated(tomorrow)).toEqual([201, ['3', tomorrow]]);
    expect(await dated(null)).toEqual([201, ['4', tomorrow]]);
    expect(await dated(dayIn(-1))).toEqual([422, REFUSED]);
  });

  test('POST with number or bill_to: 422 read-only, but null for number [CONTRACT §4]', async () => {
    const series_id = await series();
    for (const [field, value] of [
      ['number', 'A-1'],
      ['issued_at', '2026-01-01T00:00:00.000Z'],
      ['bill_to', { name: 'x', email: null, tax_id: null, address: null }],
    ] as const) {
      const answer = await post(service, '/v1/invoices', { series_id, [field]: value });
      expect([answer.status, pointersOf(answer)]).toEqual([422, [`/${field}`]]);
    }
    expect((await post(service, '/v1/invoices', { series_id, number: null })).json.number).toMatch(/-00001$/);
  });

  test('a dry run: number null, and the next request has the number that it did not take [CONTRACT §13]', async () => {
    const series_id = await series();
    const dry = await post(service, '/v1/invoices?dry_run=true', { series_id });
    expect([dry.status, dry.json]).toMatchObject([201, { number: null, issue_date: ISSUED.issue_date }]);
    const { id, number } = await issued(service, series_id);
    expect(number).toMatch(/-00001$/);
    const again = await patch(service, `/v1/invoices/${id}?dry_run=true`, { metadata: { a: 'b' } });
    expect(again.json.number).toBe(number);
  });

  test('a repeated key: the same number; a refusal takes none [CONTRACT §4, §8]', async () => {
    const series_id = await series();
    const sent = { headers: { 'idempotency-key': randomUUID() } };
    const first = await post(service, '/v1/invoices', { series_id }, sent);
    const again = await post(service, '/v1/invoices', { series_id }, sent);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const external_id = randomUUID();
    await created(service, 'invoices', { external_id });
    expect(outcome(await post(service, '/v1/invoices', { series_id, external_id }))).toEqual([409, 'already-taken']);
    expect((await issued(service, series_id))['number']).toMatch(/-00002$/);
  });

  test('90 items, a customer, an external_id and a series: one commit [CONTRACT §4]', async () => {
    const terms = { customer_id: await createCustomer(service), external_id: randomUUID(), series_id: await series() };
    const items = times(90, (i) => ({ description: `${i}`, unit_amount_cents: 1 }));
    expect((await post(service, '/v1/invoices', { ...terms, items })).json).toMatchObject({
      ...ISSUED,
      total_cents: 90,
    });
  });

  test('?number=…: finds the invoice, with a range of times too [CONTRACT §4]', async () => {
    const series_id = await series();
    const { id, number } = await issued(service, series_id);
    const found = async (parameters: object) =>
      idsOf(await service.send(`/v1/invoices${query({ number, ...parameters })}`));
    expect(await found({})).toEqual([id]);
    expect(await found({ created_from: '2020-01-01T00:00:00Z' })).toEqual([id]);
    expect(await found({ created_before: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(idsOf(await service.send(`/v1/invoices${query({ number: `${number}0` })}`))).toEqual([]);
    expect(outcome(await service.send('/v1/invoices?number='))).toEqual([422, 'validation-failed']);
    const filter = { type: 'invoices', format: 'csv', filter: { number } };
    expect(pointersOf(await post(service, '/v1/exports', filter))).toEqual(['/filter/number']);
  });

  test('20 openings at once: the numbers 1 to 20, each once, in the order of the dates [CONTRACT §4]', async () => {
    const series_id = await series();
    const numbers = await Promise.all(times(20, async () => (await issued(service, series_id))['number']));
    const prefix = await prefixOf(series_id);
    expect(numbers.sort()).toEqual(times(20, (i) => `${prefix}${String(i + 1).padStart(5, '0')}`));
  });
});

describe('An issued invoice', () => {
  const FROZEN = {
    total_cents: 7,
    currency: 'EUR',
    customer_id: null,
    description: 'x',
    issue_date: '2020-01-01',
    series_id: null,
  };
  for (const [field, value] of Object.entries(FROZEN)) {
    test(`PATCH of ${field}: 422 invoice-issued, and nothing changes [CONTRACT §4]`, async () => {
      const terms = { customer_id: await createCustomer(service), issue_date: dayIn(0) };
      const before = await issued(service, await series(), terms);
      const path = `/v1/invoices/${before['id']}`;
      expect(outcome(await patch(service, path, { [field]: value }))).toEqual([422, 'invoice-issued']);
      expect(await read(path)).toEqual(before);
    });
  }

  test('PATCH of status, due_date, metadata and external_id: 200 [CONTRACT §4]', async () => {
    const { id, number } = await issued(service, await series());
    const body = { due_date: '2027-01-31', metadata: { a: 'b' }, external_id: randomUUID(), status: 'paid' };
    expect((await patch(service, `/v1/invoices/${id}`, body)).json).toMatchObject({ ...body, number });
    const again = await patch(service, `/v1/invoices/${id}`, { due_date: '2027-02-01' });
    expect(outcome(again)).toEqual([422, 'invoice-closed']);
  });

  test('PUT without series_id and issue_date: they stay, and the body of a GET changes nothing [CONTRACT §4]', async () => {
    const before = await issued(service, await series());
    const path = `/v1/invoices/${before['id']}`;
    expect((await put(service, path, before)).json).toEqual(before);
    const { json } = await put(service, path, { total_cents: 100, due_date: '2027-01-31' });
    expect(json).toMatchObject({ number: before['number'], issue_date: before['issue_date'], due_date: '2027-01-31' });
    expect(outcome(await put(service, path, {}))).toEqual([422, 'invoice-issued']);
  });

  test('its items: 422 invoice-issued for each write [CONTRACT §4, §12]', async () => {
    const items = [{ description: 'x', unit_amount_cents: 100 }];
    const { id } = await service
      .create('/v1/invoices', { items, series_id: await series() })
      .then(({ json }) => json as { id: number });
    const [item] = (await read(`/v1/invoice-items${query({ invoice_id: id })}`)).data;
    const path = `/v1/invoice-items/${item.id}`;
    for (const answer of [
      await addItem(service, id, 5),
      await patch(service, path, { quantity: 2 }),
      await put(service, path, { invoice_id: id, description: 'y', unit_amount_cents: 100 }),
      await remove(service, path),
    ])
      expect(outcome(answer)).toEqual([422, 'invoice-issued']);
    await pay(service, id, 100);
    expect(outcome(await addItem(service, id, 5))).toEqual([422, 'invoice-closed']);
  });

  test('a payment, then the rest: paid, with its number [CONTRACT §4]', async () => {
    const { id, number } = await issued(service, await series());
    expect((await pay(service, id, 40)).status).toBe(201);
    expect((await pay(service, id, 60)).status).toBe(201);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', number });
  });

  test('cancel: its number stays; DELETE: 409 invoice-issued, also of a paid one [CONTRACT §4]', async () => {
    const series_id = await series();
    const { id, number } = await issued(service, series_id);
    expect((await post(service, `/v1/invoices/${id}/cancel`)).json).toMatchObject({ status: 'canceled', number });
    const paid = await issued(service, series_id);
    await pay(service, paid['id'], 100);
    for (const one of [id, paid['id']])
      expect(outcome(await remove(service, `/v1/invoices/${one}`))).toEqual([409, 'invoice-issued']);
    expect((await issued(service, series_id))['number']).toMatch(/-00003$/);
  });

  test('a draft that was canceled: no number, also with a series; it can be deleted [CONTRACT §4]', async () => {
    const path = await created(service, 'invoices', { status: 'draft', series_id: await series() });
    expect((await post(service, `${path}/cancel`)).json).toMatchObject({ status: 'canceled', ...NOT_ISSUED });
    expect((await remove(service, path)).status).toBe(204);
  });
});
