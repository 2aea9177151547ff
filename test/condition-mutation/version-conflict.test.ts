import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { partOf } from '#test/support/extent/extent.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { failDelivery, finishExport, moveWebhook } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, outcome } from '#test/support/service/makers.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';

/* In each test, another request commits between the reads of a handler and its commit, which must then fail. */

const service = await startService();
const race = interleave(service.client);
const make = makers(service);
afterEach(() => {
  jest.useRealTimers();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

/** A request, for later. */
const later =
  (...[method, path, body, headers]: Parameters<Makers['send']>) =>
  () =>
    make.send(method, path, body, headers);
const pay = (invoice_id: number, amount_cents: number) => later('POST', '/v1/payments', { invoice_id, amount_cents });
const itemized = () => make.invoice({ total_cents: 0 });
const FIRST_VERSION = { 'if-match': '"1"' };

const failedDelivery = async () => {
  const { id, path } = await make.endpoint();
  const { json } = await make.send('POST', `${path}/test`);
  await failDelivery(service, 'acct_1', json.id);
  const delivery = `/v1/webhook-deliveries/${json.id}`;
  return { id, path, delivery, retry: later('POST', `${delivery}/retry`) };
};

interface Conflict {
  readonly competing: () => Promise<unknown>;
  readonly request: () => Promise<Answer>;
  /** The problem of the request. */
  readonly code: string;
  /** The values that the request must leave as the competing request wrote them. */
  readonly path: string;
}

/** A DELETE with the ETag of a resource that another request patches. */
const staleDelete = async (created: Promise<{ path: string }>, change: object): Promise<Conflict> => {
  const { path } = await created;
  const request = later('DELETE', path, undefined, FIRST_VERSION);
  return { path, competing: later('PATCH', path, change), request, code: 'precondition-failed' };
};

const CONFLICTS: Readonly<Record<string, () => Promise<Conflict>>> = {
  'DELETE with If-Match of a customer that is patched [CONTRACT §7]': () =>
    staleDelete(make.customer(), { name: 'Bea' }),
  'DELETE with If-Match of an item that is patched [CONTRACT §7]': async () =>
    staleDelete(make.item((await itemized()).id), { description: 'Other work' }),
  'DELETE with If-Match of a webhook endpoint that is patched [CONTRACT §15]': () =>
    staleDelete(make.endpoint(), { description: 'x' }),
  'a rewind with If-Match of a webhook endpoint that is patched [CONTRACT §15]': async () => {
    const { path } = await make.endpoint();
    const request = later('POST', `${path}/rewind`, { sequence: 0 }, FIRST_VERSION);
    return { path, competing: later('PATCH', path, { description: 'x' }), request, code: 'precondition-failed' };
  },
  'cancel of an invoice that is paid [CONTRACT §4]': async () => {
    const { id, path } = await make.invoice();
    return { path, competing: pay(id, 1), request: later('POST', `${path}/cancel`), code: 'invoice-not-cancelable' };
  },
  'cancel of an export that its worker completes [CONTRACT §12]': async () => {
    const { id, path } = await make.export();
    const competing = () => finishExport(service, 'acct_1', id);
    return { path, competing, request: later('POST', `${path}/cancel`), code: 'export-not-cancelable' };
  },
  'DELETE of an invoice that is paid [CONTRACT §4]': async () => {
    const { id, path } = await make.invoice();
    return { path, competing: pay(id, 1), request: later('DELETE', path), code: 'invoice-has-payments' };
  },
  'a payment of an invoice that is deleted [CONTRACT §4]': async () => {
    const { id, path } = await make.invoice();
    const payments = `/v1/payments?invoice_id=${id}`;
    return { path: payments, competing: later('DELETE', path), request: pay(id, 1), code: 'not-found' };
  },
  'a payment of an amount that another payment has paid [CONTRACT §4]': async () => {
    const { id, path } = await make.invoice();
    return { path, competing: pay(id, 600), request: pay(id, 600), code: 'amount-exceeds-due' };
  },
  'a credit note of an amount that another credit note has credited [CONTRACT §4]': async () => {
    const { id: invoice_id, path } = await make.invoice();
    const credit = later('POST', '/v1/credit-notes', { invoice_id, amount_cents: 600 });
    return { path, competing: credit, request: credit, code: 'amount-exceeds-creditable' };
  },
  'a refund of an amount that another refund has refunded [CONTRACT §4]': async () => {
    const { id: payment_id, path } = await make.payment((await make.invoice()).id, 1000);
    const refund = later('POST', '/v1/refunds', { payment_id, amount_cents: 600 });
    return { path, competing: refund, request: refund, code: 'amount-exceeds-refundable' };
  },
  'a refund of a payment that is voided [CONTRACT §4]': async () => {
    const { id: payment_id, path } = await make.payment((await make.invoice()).id, 1000);
    const refund = later('POST', '/v1/refunds', { payment_id });
    return { path, competing: later('POST', `${path}/void`), request: refund, code: 'payment-voided' };
  },
  'a void of a payment that is refunded [CONTRACT §4]': async () => {
    const { id: payment_id, path } = await make.payment((await make.invoice()).id, 1000);
    const refund = later('POST', '/v1/refunds', { payment_id, amount_cents: 1 });
    return { path, competing: refund, request: later('POST', `${path}/void`), code: 'payment-has-refunds' };
  },
  'a reopening of an invoice that is reopened and paid [CONTRACT §4]': async () => {
    const { id, path } = await make.invoice();
    await make.send('PATCH', path, { status: 'paid' });
    const reopen = later('POST', `${path}/reopen`);
    const competing = async () => {
      await reopen();
      await pay(id, 1000)();
    };
    return { path, competing, request: reopen, code: 'invoice-not-reopenable' };
  },
  'a test of a webhook endpoint that is deleted [CONTRACT §15]': async () => {
    const { path } = await make.endpoint();
    return { path, competing: later('DELETE', path), request: later('POST', `${path}/test`), code: 'not-found' };
  },
  'a test of a disabled webhook endpoint that is deleted [CONTRACT §15]': async () => {
    const { path } = await make.endpoint({ status: 'disabled' });
    return { path, competing: later('DELETE', path), request: later('POST', `${path}/test`), code: 'not-found' };
  },
  'a retry after a competing retry [CONTRACT §15]': async () => {
    const { delivery, retry } = await failedDelivery();
    return { path: delivery, competing: retry, request: retry, code: 'delivery-not-retryable' };
  },
  'a retry while the webhook endpoint is disabled [CONTRACT §15]': async () => {
    const { path, delivery, retry } = await failedDelivery();
    const competing = later('PATCH', path, { status: 'disabled' });
    return { path: delivery, competing, request: retry, code: 'delivery-not-retryable' };
  },
  'a retry while the webhook endpoint, which is due at the same moment, is disabled [CONTRACT §15]': async () => {
    const { id, path, delivery, retry } = await failedDelivery();
    const competing = later('PATCH', path, { status: 'disabled' });
    stopClock();
    await moveWebhook(service, 'acct_1', id, { due_at: Date.now(), is_noted: true });
    return { path: delivery, competing, request: retry, code: 'delivery-not-retryable' };
  },
};

test.each(partOf(Object.entries(CONFLICTS), 3))('%s: refused, and changes nothing', async (_, prepare) => {
  const { path, competing, request, code } = await prepare();
  const read = async () => {
    const { status, json } = await make.send('GET', path);
    return [status, status === 200 && json];
  };
  let before: unknown;
  const response = await race(async () => {
    await competing();
    before = await read();
  }, request);
  expect(response.json?.code).toBe(code);
  expect(await read()).toEqual(before);
});

test('two payments of an invoice that are voided at the same time: nothing is paid [CONTRACT §4]', async () => {
  const { id, path } = await make.invoice();
  const [first, second] = [await make.payment(id, 300), await make.payment(id, 700)];
  await race(later('POST', `${first.path}/void`), later('POST', `${second.path}/void`));
  expect(await make.get(path)).toMatchObject({ status: 'open', settlement: null, amount_paid_cents: 0 });
});

describe('a resource that changes between the read and the commit of a request [CONTRACT §7]', () => {
  test.each([
    ['customers', { name: 'Ada', tax_id: 'x' }, { email: 'a@example.com' }, { name: 'Ada' }],
    ['invoices', { description: 'x' }, { due_date: '2027-01-01' }, {}],
  ])(
    'PATCH and PUT of %s after a competing PATCH: applied to the new version',
    async (collection, first, second, whole) => {
      const { path } = await make.create(collection, whole);
      const patched = await race(
        () => make.send('PATCH', path, first),
        () => make.send('PATCH', path, second),
      );
      expect(patched.json).toMatchObject({ ...first, ...second });
      expect(patched.headers['etag']).toBe('"3"');
      const put = await race(
        () => make.send('PATCH', path, { metadata: { by: 'another' } }),
        () => make.send('PUT', path, whole),
      );
      expect([put.status, put.headers['etag'], put.json.metadata]).toEqual([200, '"5"', {}]);
      expect(await make.get(path)).toEqual(put.json);
    },
  );
});

describe('a webhook endpoint that changes between the read and the commit of a request [CONTRACT §15]', () => {
  const stored = async (id: number) =>
    (await rowsOf(service, 'webhookEndpoints', 'acct_1')).find((row) => row['id'] === id);

  test('PATCH and rotation after a competing PATCH: applied to the new version', async () => {
    const { id, path } = await make.endpoint();
    const patched = await race(
      () => make.send('PATCH', path, { description: 'Bookkeeping' }),
      () => make.send('PATCH', path, { status: 'disabled' }),
    );
    expect(patched.json).toMatchObject({ description: 'Bookkeeping', status: 'disabled' });
    expect(patched.headers['etag']).toBe('"3"');
    const rotated = await race(
      () => make.send('POST', `${path}/rotate-secret`),
      () => make.send('POST', `${path}/rotate-secret`),
    );
    expect(rotated.headers['etag']).toBe('"5"');
    expect((await stored(id))?.['secrets']).toHaveLength(3);
  });

  test('PATCH of the URL after a failure of the old URL: the endpoint has no failures', async () => {
    const { id, path } = await make.endpoint();
    const failure = { failures: 1, failing_since: Date.now() };
    const answer = await race(
      () => moveWebhook(service, 'acct_1', id, failure),
      () => make.send('PATCH', path, { url: 'https://example.com/new' }),
    );
    expect([answer.status, await stored(id)]).toEqual([
      200,
      expect.objectContaining({ failures: 0, failing_since: 0 }),
    ]);
  });

  test.each(
    ['test', 'retry'].flatMap((action) => [
      // A value that stays the same is not written.
      { action, removed: 'is_noted', before: () => ({ due_at: 1, is_noted: true }) as const },
      { action, removed: 'due_at', before: () => ({ due_at: Date.now(), is_noted: undefined }) },
    ]),
  )('a $action, and a pump that removes $removed: the endpoint is due, with a note', async (one) => {
    const { id, path, retry } = await failedDelivery();
    stopClock();
    await moveWebhook(service, 'acct_1', id, one.before());
    const answer = await race(
      () => moveWebhook(service, 'acct_1', id, { [one.removed]: undefined }),
      one.action === 'test' ? later('POST', `${path}/test`) : retry,
    );
    expect(answer.status).toBe(202);
    const { due_at, is_noted } = (await stored(id)) ?? {};
    expect([Number(due_at) <= Date.now(), is_noted]).toEqual([true, true]);
  });

  test('a rewind after a competing rewind to an earlier event: 429, and the position of the competing rewind stays', async () => {
    for (const name of ['Ada', 'Eve', 'Bo']) await make.create('customers', { name });
    await make.get('/v1/events');
    const { id, path } = await make.endpoint();
    const position = Number((await stored(id))?.['position']);
    expect(position).toBeGreaterThan(2);
    const rewind = (sequence: number) => make.send('POST', `${path}/rewind`, { sequence });
    const answer = await race(
      () => rewind(1),
      () => rewind(2),
    );
    expect(outcome(answer)).toEqual([429, 'too-many-rewinds']);
    expect(await stored(id)).toMatchObject({ position: 1 });
  });
});

describe('items and their invoice change together [CONTRACT §4]', () => {
  test('POST of an item while another is created: the total is the sum', async () => {
    const { id, path } = await itemized();
    await race(
      () => make.item(id, 1),
      () => make.item(id, 10),
    );
    expect((await make.get(path)).total_cents).toBe(11);
  });

  test('DELETE of an item while another is created: the total is the sum', async () => {
    const { id, path } = await itemized();
    const { path: gone } = await make.item(id, 1);
    const answer = await race(
      () => make.item(id, 10),
      () => make.send('DELETE', gone),
    );
    expect([answer.status, (await make.get(path)).total_cents]).toEqual([204, 10]);
  });

  const changes = (invoice_id: number) => ({
    PATCH: (change: object) => change,
    PUT: (change: object) => ({ invoice_id, description: 'Work', unit_amount_cents: 100, ...change }),
  });

  describe.each(partOf(['PATCH', 'PUT'] as const, 2))('%s of an item', (method) => {
    const prepared = async () => {
      const owner = await itemized();
      const { path } = await make.item(owner.id);
      const change = (body: object) => make.send(method, path, changes(owner.id)[method](body));
      return { owner, path, change };
    };

    test('after a competing PATCH: applied to the new version [CONTRACT §7]', async () => {
      const { path, change } = await prepared();
      const answer = await race(
        () => make.send('PATCH', path, { description: 'Other work' }),
        () => change({ description: 'Much work' }),
      );
      expect([answer.status, answer.headers['etag'], answer.json.description]).toEqual([200, '"3"', 'Much work']);
    });

    test('while another item is created: the total is the sum', async () => {
      const { owner, change } = await prepared();
      const answer = await race(
        () => make.item(owner.id, 1),
        () => change({ quantity: 2 }),
      );
      expect([answer.status, (await make.get(owner.path)).total_cents]).toEqual([200, 201]);
    });

    test('that does not change the total, while the invoice is canceled: 422', async () => {
      const { owner, path, change } = await prepared();
      const answer = await race(
        () => make.send('POST', `${owner.path}/cancel`),
        () => change({ description: 'Much work' }),
      );
      expect(outcome(answer)).toEqual([422, 'invoice-closed']);
      expect((await make.get(path)).description).toBe('Work');
    });
  });
});
