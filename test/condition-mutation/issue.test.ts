import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { interleave } from '#test/support/faults/interleave.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

/* In each test, another request commits between the reads of a handler that takes a number of a series and its commit. */

const service = await startService();
let make: Makers;
let series: { readonly id: number; readonly path: string };
beforeEach(async () => {
  make = makers(service, { account: newAccount() });
  series = (await make.create('number-series', { prefix: 'A-' })) as typeof series;
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const race = interleave(service.client);

/** Requests that issue an invoice for a customer, or a credit note of an invoice of the customer. */
const OPENINGS: Readonly<Record<string, (customer_id: number) => Promise<() => ReturnType<Makers['send']>>>> = {
  'POST of an open invoice': async (customer_id) => () =>
    make.send('POST', '/v1/invoices', { customer_id, series_id: series.id }),
  'POST of a credit note': async (customer_id) => {
    const { id: invoice_id } = await make.invoice({ customer_id });
    return () => make.send('POST', '/v1/credit-notes', { invoice_id, series_id: series.id });
  },
  'PATCH of a draft': async (customer_id) => {
    const { path } = await make.invoice({ customer_id, series_id: series.id, status: 'draft' });
    return () => make.send('PATCH', path, { status: 'open' });
  },
  'PUT of a draft': async (customer_id) => {
    const { path } = await make.invoice({ customer_id, series_id: series.id, status: 'draft' });
    return () => make.send('PUT', path, { status: 'open', customer_id });
  },
  'PATCH of a draft to another customer': async (customer_id) => {
    const { path } = await make.invoice({ series_id: series.id, status: 'draft' });
    return () => make.send('PATCH', path, { status: 'open', customer_id });
  },
  'PUT of a draft to another customer': async (customer_id) => {
    const { path } = await make.invoice({ series_id: series.id, status: 'draft' });
    return () => make.send('PUT', path, { status: 'open', customer_id });
  },
};

const cases = Object.entries(OPENINGS);

test.each(cases)('%s while another request takes a number: the next number [CONTRACT §4]', async (_, prepare) => {
  const open = await prepare((await make.customer()).id);
  const { json } = await race(() => make.invoice({ series_id: series.id }), open);
  expect(json.number).toBe('A-00002');
});

test.each(cases)('%s while the customer changes: bill_to is the changed customer [CONTRACT §4]', async (_, prepare) => {
  const { id, path } = await make.customer({ name: 'Before' });
  const open = await prepare(id);
  const { json } = await race(() => make.send('PATCH', path, { name: 'After' }), open);
  expect(json).toMatchObject({ number: 'A-00001', bill_to: { name: 'After' } });
});

test.each(cases)('%s while the series is closed: 422, and no number [CONTRACT §4]', async (_, prepare) => {
  const open = await prepare((await make.customer()).id);
  const answer = await race(() => make.send('PATCH', series.path, { status: 'closed' }), open);
  expect(outcome(answer)).toEqual([422, 'series-closed']);
  expect((await make.get(series.path)).last_number).toBeNull();
});

test.each(cases)('%s while the series is deleted: 404 [CONTRACT §4]', async (_, prepare) => {
  const open = await prepare((await make.customer()).id);
  expect(outcome(await race(() => make.send('DELETE', series.path), open))).toEqual([404, 'not-found']);
});

test.each(cases.filter(([title]) => !/draft$|credit note$/.test(title)))(
  '%s while the customer is deleted: 404, and no number [CONTRACT §4]',
  async (_, prepare) => {
    const { id, path } = await make.customer();
    const open = await prepare(id);
    expect(outcome(await race(() => make.send('DELETE', path), open))).toEqual([404, 'not-found']);
    expect((await make.get(series.path)).last_number).toBeNull();
  },
);

test('DELETE and PATCH of a series while an invoice takes its first number: 409 series-in-use [CONTRACT §4]', async () => {
  for (const change of [
    () => make.send('DELETE', series.path),
    () => make.send('PATCH', series.path, { prefix: 'B-' }),
  ]) {
    expect(outcome(await race(() => make.invoice({ series_id: series.id }), change))).toEqual([409, 'series-in-use']);
    series = (await make.create('number-series', { prefix: `C${series.id}-` })) as typeof series;
  }
});
