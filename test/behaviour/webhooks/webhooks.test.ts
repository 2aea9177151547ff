import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { FORBIDDEN_HOSTS } from '#test/support/receivers/forbidden-addresses.ts';
import { behaviors, onlyFirst, type ReceivedRequest } from '#test/support/receivers/webhook-receivers.ts';
import type { Answer } from '#test/support/service/client.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf } from '../support/pages.ts';
import { QUIET } from '../support/prerequisites.ts';
import { createCustomer, patch, pointersOf, post, remove, totalOf } from '../support/requests.ts';
import type { Row } from '../support/rows.ts';
import { createEndpoint, PATH, pathOf, RECEIVER_URL, violations } from './endpoints.ts';
import {
  act,
  attempted,
  bodies,
  deliveries,
  deliveriesOf,
  eventOf,
  type Subscribed,
  signatureOf,
  subscribe,
  subscribeReader,
} from './subscriptions.ts';

const service = await openService();

describe('Webhook endpoints', () => {
  for (const version of ['v1', 'v2']) {
    test(`${version}, only a url: 201 with all defaults and the secret [CONTRACT §15]`, async () => {
      const path = `/${version}/webhook-endpoints`;
      const { status, headers, json } = await service.send(path, { method: 'POST', body: { url: RECEIVER_URL } });
      const { id, secret, created_at } = json;
      expect([status, headers['etag'], headers['location']]).toEqual([201, '"1"', `${path}/${id}`]);
      const defaults = { description: null, event_types: ['*'], status: 'enabled', disabled_reason: null };
      expect(json).toStrictEqual({ id, url: RECEIVER_URL, ...defaults, secret, created_at, updated_at: created_at });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect((await service.send(`${path}/${id}`)).json).toEqual({ ...json, secret: null });
    });
  }

  test('every field: stored as sent; a secret of the client: 422 [CONTRACT §4]', async () => {
    const event_types = ['invoice.paid', 'customer.created'];
    const body = { url: 'https://example.com:8443/a?b=c', description: 'Ledger', event_types, status: 'disabled' };
    const { json } = await createEndpoint(service, { ...body, disabled_reason: 'requested', secret: null });
    expect(json).toMatchObject({ ...body, disabled_reason: 'requested' });
    const sent = { method: 'POST', body: { ...body, secret: 'whsec_mine' } };
    expect(pointersOf(await service.send(PATH, sent))).toEqual(['/secret']);
  });

  test('a url of 2,000 characters and every event type: allowed; a type twice: 422 [CONTRACT §15]', async () => {
    const url = `https://example.com/${'a'.repeat(1980)}`;
    const event_types = [...EVENT_TYPES];
    expect((await createEndpoint(service, { url, event_types })).json).toMatchObject({ url, event_types });
    const twice = { method: 'POST', body: { url, event_types: ['invoice.paid', 'customer.created', 'invoice.paid'] } };
    expect(pointersOf(await service.send(PATH, twice))).toEqual(['/event_types']);
  });

  testWith('fullExtent', 'newAccounts')(
    '30 creations at once: 20 succeed; after a DELETE one more succeeds [CONTRACT §15]',
    async () => {
      const as = { account: 'empty' };
      const post = (query = '') =>
        service.send(`${PATH}${query}`, { method: 'POST', body: { url: RECEIVER_URL, event_types: QUIET }, as });
      const answers = await Promise.all(Array.from({ length: 30 }, () => post()));
      const created = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ status }) => status !== 201);
      expect([created.length, refused.length]).toEqual([20, 10]);
      for (const answer of [...refused, await post('?dry_run=true')])
        expect([answer.status, answer.json.code]).toEqual([422, 'too-many-webhook-endpoints']);
      expect(idsOf(await service.send(`${PATH}?limit=100`, { as }))).toHaveLength(20);
      await service.send(pathOf(created[0] as Answer), { method: 'DELETE', as });
      expect([(await post()).status, (await post()).status]).toEqual([201, 422]);
    },
  );

  test('PATCH of the status: disabling sets the reason, enabling clears it [CONTRACT §15]', async () => {
    const path = pathOf(await createEndpoint(service));
    for (const [status, disabled_reason, version] of [
      ['disabled', 'requested', 2],
      ['disabled', 'requested', 2],
      ['enabled', null, 3],
      ['enabled', null, 3],
    ]) {
      const { headers, json } = await patch(service, path, { status });
      expect([json.status, json.disabled_reason, headers['etag']]).toEqual([status, disabled_reason, `"${version}"`]);
    }
  });

  test('the secret: only in the responses to create and rotate, and their replays; null in a dry run [CONTRACT §15]', async () => {
    const created = await createEndpoint(service);
    const path = pathOf(created);
    const headers = { 'idempotency-key': randomUUID() };
    const rotate = () => post(service, `${path}/rotate-secret`, undefined, { headers });
    const dryRotation = await post(service, `${path}/rotate-secret?dry_run=true`);
    const dryCreation = await post(service, `${PATH}?dry_run=true`, { url: RECEIVER_URL });
    expect([dryRotation, dryCreation]).toMatchObject([
      { status: 200, json: { secret: null } },
      { status: 201, json: { secret: null } },
    ]);
    expect((await service.send(path)).headers['etag']).toBe('"1"');
    const [rotated, replay] = [await rotate(), await rotate()];
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(created.json.secret);
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([rotated.text, 'true']);
    const test = await service.send(`${path}/test`, { method: 'POST' });
    const members = [
      await service.send(path),
      await patch(service, path, { description: 'x' }),
      await service.send(`${path}/rewind`, { method: 'POST', body: { sequence: 1_000_000 } }),
    ];
    for (const { status, json } of members) expect([status, json.secret]).toEqual([200, null]);
    const events = `/events?resource_id=${created.json.id}&expand=resource`;
    const lists = [`${PATH}?limit=100`, `${PATH}?fields=secret`, `/v1${events}`, `/v2${events}`];
    for (const target of [...lists, test.headers['location'] ?? '/v1/webhook-deliveries']) {
      const { status, text } = await service.send(target);
      expect([target, status, text.includes('whsec_')]).toEqual([target, 200, false]);
    }
  });

  for (const [body, expected] of [
    [{}, '/sequence required'],
    [{ sequence: -1 }, '/sequence out-of-range'],
    [{ sequence: 1.5 }, '/sequence invalid-type'],
    [{ sequence: '0' }, '/sequence invalid-type'],
    [{ sequence: 0, after: 1 }, '/after unknown-field'],
  ]) {
    test(`rewind ${JSON.stringify(body)}: 422 [CONTRACT §15]`, async () => {
      const path = pathOf(await createEndpoint(service));
      expect(violations(await service.send(`${path}/rewind`, { method: 'POST', body }))).toEqual([422, [expected]]);
    });
  }
});

const isLoopback = (host: string) => /^(127\.|localhost|\[::1\])/.test(new URL(`http://${host}`).hostname);

const INVALID: readonly (readonly [body: object, expected: readonly string[]])[] = [
  ...[
    'http://example.com',
    'ftp://example.com',
    'example.com',
    '',
    'https://ada@example.com',
    'https://:secret@example.com',
    'https://example.com:80',
    ' https://example.com',
    'https://example.com/a\r\nb: c',
    'https:\\\\example.com',
    `https://${'a.'.repeat(130)}com`,
  ].map((url) => [{ url }, ['/url invalid-url']] as const),
  [{ url: `https://example.com/${'a'.repeat(1981)}` }, ['/url too-long']],
  [{ url: null }, ['/url invalid-type']],
  [{ url: 5 }, ['/url invalid-type']],
  [{ event_types: [] }, ['/event_types out-of-range']],
  [{ event_types: ['invoice.eaten'] }, ['/event_types/0 not-allowed']],
  [{ event_types: ['webhook.test'] }, ['/event_types/0 not-allowed']],
  [{ event_types: ['*', 'invoice.paid'] }, ['/event_types not-allowed']],
  [{ event_types: ['*', '*'] }, ['/event_types not-allowed']],
  [{ event_types: Array(51).fill('invoice.paid') }, ['/event_types out-of-range']],
  [{ event_types: 'invoice.paid' }, ['/event_types invalid-type']],
  [{ event_types: null }, ['/event_types invalid-type']],
  [{ status: 'gone' }, ['/status not-allowed']],
  [{ status: null }, ['/status not-allowed']],
  [{ description: 5 }, ['/description invalid-type']],
  [{ position: 0 }, ['/position unknown-field']],
  [{ secrets: [] }, ['/secrets unknown-field']],
  [
    { url: 'ftp://example.com', event_types: ['*', 'invoice.paid'], status: 'x', more: 1 },
    ['/event_types not-allowed', '/more unknown-field', '/status not-allowed', '/url invalid-url'],
  ],
];

/** A stage may permit addresses of its own machine. */
const FORBIDDEN = FORBIDDEN_HOSTS.filter((host) => !isLoopback(host));

const ALLOWED = [
  'https://8.8.8.8',
  'https://[2606:4700::1111]:8443',
  'https://EXAMPLE.com:443',
  'https://örtchen.example',
];

describe('Values of webhook endpoints', () => {
  test('no url: 422 [CONTRACT §15]', async () => {
    expect(violations(await service.send(PATH, { method: 'POST', body: {} }))).toEqual([422, ['/url required']]);
  });

  for (const [body, expected] of partOf(INVALID, 5)) {
    test(`${JSON.stringify(body).slice(0, 100)}: 422 at create and PATCH [CONTRACT §15]`, async () => {
      const invalid = await service.send(PATH, { method: 'POST', body: { url: RECEIVER_URL, ...body } });
      expect(violations(invalid)).toEqual([422, expected]);
      const created = await createEndpoint(service);
      expect(violations(await patch(service, pathOf(created), body))).toEqual([422, expected]);
      expect((await service.send(pathOf(created))).json).toEqual({ ...created.json, secret: null });
    });
  }

  for (const host of partOf(FORBIDDEN, 7)) {
    test(`https://${host}, an address that is not public: 422 at /url [CONTRACT §15]`, async () => {
      const url = `https://${host}/`;
      const dry = await service.send(`${PATH}?dry_run=true`, { method: 'POST', body: { url } });
      expect(violations(dry)).toEqual([422, ['/url invalid-url']]);
    });
  }

  for (const url of ALLOWED) {
    test(`${url}: allowed [CONTRACT §15]`, async () => {
      expect((await createEndpoint(service, { url })).json.url).toBe(url);
    });
  }
});
const receiverTest = testWith('receiver');

/** The pause begins at the end of an attempt; `last_attempt_at` is the beginning of the attempt. */
const ATTEMPT_MS = 30_000;

const FAILED = { status: 'pending', attempts: 1 };

const OUTCOMES = {
  accepted: { status: 'succeeded', response_status: 202, response_body: 'queued', error: null },
  noContent: { status: 'succeeded', response_status: 204, response_body: '', error: null },
  failing: { ...FAILED, response_status: 500, response_body: 'out of order', error: { code: 'unexpected-status' } },
  throttling: { ...FAILED, response_status: 429, response_body: 'too fast', error: { code: 'unexpected-status' } },
  redirecting: { ...FAILED, response_status: 307, response_body: 'elsewhere', error: { code: 'redirect' } },
  notModified: { ...FAILED, response_status: 304, response_body: '', error: { code: 'unexpected-status' } },
  resetting: { ...FAILED, response_status: null, response_body: null, error: { code: 'connection-failed' } },
  endless: { status: 'succeeded', response_status: 200, response_body: 'a'.repeat(1000), error: null },
} as const;

describe('Webhook deliveries', () => {
  receiverTest('an event: one signed POST of its v1 form, then a delivery that succeeded [CONTRACT §15]', async () => {
    await createCustomer(service, 'Before');
    const own = await subscribeReader(service);
    const customer = await createCustomer(service);
    const [delivery] = await deliveries(service, own, 1, 'succeeded');
    expect(own.receiver.requests).toHaveLength(1);
    const [received] = own.receiver.requests as [ReceivedRequest];
    const event = await eventOf(service, customer);
    const { method, path, headers, body } = received;
    expect([method, path, body]).toEqual(['POST', '/hooks?from=us', JSON.stringify(event)]);
    expect(headers).toEqual({
      host: new URL(own.receiver.url).host,
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^invoicing\/\d+\.\d+\.\d+/),
      'webhook-id': `evt_${event.id}`,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': signatureOf(own.endpoint.secret, received),
    });
    expect(new Webhook(own.endpoint.secret).verify(body, headers as Record<string, string>)).toEqual(event);
    const age = Date.now() / 1000 - Number(headers['webhook-timestamp']);
    expect(Math.abs(age)).toBeLessThan(60);
    const { id, created_at, updated_at, last_attempt_at } = delivery;
    expect(delivery).toStrictEqual({
      id,
      webhook_endpoint_id: own.endpoint.id,
      event_id: event.id,
      event_type: 'customer.created',
      sequence: event.sequence,
      status: 'succeeded',
      attempts: 1,
      next_attempt_at: null,
      last_attempt_at,
      response_status: 200,
      response_body: 'received',
      error: null,
      created_at,
      updated_at,
    });
    expect([own.read, last_attempt_at, updated_at >= created_at]).toEqual([[], created_at, true]);
    const member = await service.send(`/v1/webhook-deliveries/${id}`);
    expect([member.json, member.headers['etag']]).toEqual([delivery, '"1"']);
  });

  receiverTest('event_types: only these events are delivered; by default all [CONTRACT §15]', async () => {
    const none = await subscribe(service, behaviors.ok, { event_types: ['invoice.paid'] });
    const some = await subscribe(service, behaviors.ok, { event_types: ['customer.updated', 'customer.deleted'] });
    const all = await subscribe(service, behaviors.ok, { event_types: ['*'] });
    const customer = `/v1/customers/${await createCustomer(service)}`;
    await patch(service, customer, { name: 'Eve' });
    await patch(service, all.path, { description: 'x' });
    await remove(service, customer);
    await deliveries(service, all, 4, 'succeeded');
    await deliveries(service, some, 2, 'succeeded');
    const types = ({ receiver }: Subscribed) =>
      bodies(receiver)
        .map(({ type }) => type)
        .sort();
    const own = ['customer.created', 'customer.deleted', 'customer.updated', 'webhook_endpoint.updated'];
    expect([types(all), types(some), types(none)]).toEqual([own, ['customer.deleted', 'customer.updated'], []]);
  });

  testWith('receiver', 'otherAccount')('events of another account: not delivered [CONTRACT §2]', async () => {
    const own = await subscribe(service, behaviors.ok);
    await service.create('/v1/customers', { name: 'Theirs' }, { account: 'other' });
    const customer = await createCustomer(service);
    await deliveries(service, own, 1, 'succeeded');
    expect(bodies(own.receiver).map(({ resource_id }) => resource_id)).toEqual([customer]);
  });

  for (const name of partOf(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[], 3)) {
    receiverTest(`a receiver that is ${name}: ${OUTCOMES[name].status} after one attempt [CONTRACT §15]`, async () => {
      const own = await subscribe(service, behaviors[name]);
      await createCustomer(service);
      const delivery = await attempted(service, own);
      expect(delivery).toMatchObject({ attempts: 1, ...OUTCOMES[name] });
      const isPending = delivery.status === 'pending';
      expect(delivery.next_attempt_at === null).toBe(!isPending);
      const pause = isPending ? Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at) : 5000;
      // Retry-After is clamped to twice the pause.
      const [least, most] = name === 'throttling' ? [10_000, 10_000] : [4000, 6000];
      expect([name, pause >= least && pause <= most + ATTEMPT_MS]).toEqual([name, true]);
      expect(own.receiver.requests).toHaveLength(1);
      expect((await service.send(own.path)).json).toMatchObject({ status: 'enabled', disabled_reason: null });
    });
  }

  testWith('fullExtent', 'receiver')(
    'a failed attempt: repeated under the same webhook-id, with a new signature [CONTRACT §15]',
    async () => {
      const own = await subscribe(service, onlyFirst(behaviors.failing));
      await createCustomer(service);
      const [delivery] = await deliveries(service, own, 1, 'succeeded');
      expect([delivery.attempts, delivery.error, delivery.response_status]).toEqual([2, null, 200]);
      const [first, second] = own.receiver.requests as [ReceivedRequest, ReceivedRequest];
      expect([second.headers['webhook-id'], second.body]).toEqual([first.headers['webhook-id'], first.body]);
      expect(second.headers['webhook-signature']).toBe(signatureOf(own.endpoint.secret, second));
      expect(second.headers['webhook-timestamp']).not.toBe(first.headers['webhook-timestamp']);
    },
  );

  receiverTest('410: disabled as gone; when it is enabled, all events are delivered [CONTRACT §15]', async () => {
    const own = await subscribe(service, onlyFirst(behaviors.gone));
    await createCustomer(service);
    const { json } = await service.until(own.path, (answer) => answer.json.status === 'disabled');
    expect(json.disabled_reason).toBe('gone');
    expect(await attempted(service, own)).toMatchObject({ status: 'pending', attempts: 1, response_status: 410 });
    await createCustomer(service);
    const enabled = await patch(service, own.path, { status: 'enabled' });
    expect([enabled.json.status, enabled.json.disabled_reason]).toEqual(['enabled', null]);
    await deliveries(service, own, 2, 'succeeded');
  });
});

describe('Webhook endpoints and their deliveries', () => {
  receiverTest('disabled, rewound, then enabled: all events are delivered, none before [CONTRACT §15]', async () => {
    const [own, enabled] = [await subscribe(service, behaviors.ok), await subscribe(service, behaviors.ok)];
    const first = await createCustomer(service);
    const [{ sequence }] = (await deliveries(service, own, 1, 'succeeded')) as [Row];
    await patch(service, own.path, { status: 'disabled' });
    const customers = [first, await createCustomer(service), await createCustomer(service)];
    await deliveries(service, enabled, 3, 'succeeded');
    expect((await act(service, `${own.path}/rewind`, { sequence: sequence - 1 })).status).toBe(200);
    expect((await service.send(deliveriesOf(own))).json.data).toHaveLength(1);
    expect(own.receiver.requests).toHaveLength(1);
    await patch(service, own.path, { status: 'enabled' });
    await deliveries(service, own, 4, 'succeeded');
    const received = bodies(own.receiver).map(({ resource_id }) => resource_id);
    expect(received.sort()).toEqual([first, ...customers].sort());
  });

  receiverTest('ten rotations: each of the last ten secrets signs, but none before [CONTRACT §15]', async () => {
    const own = await subscribe(service, behaviors.ok);
    const secrets = [own.endpoint.secret];
    for (let rotation = 1; rotation <= 10; rotation++) {
      const { status, json } = await act(service, `${own.path}/rotate-secret`);
      expect([status, secrets.includes(json.secret)]).toEqual([200, false]);
      secrets.unshift(json.secret);
    }
    await createCustomer(service);
    await deliveries(service, own, 1, 'succeeded');
    const [received] = own.receiver.requests as [ReceivedRequest];
    const expected = secrets.slice(0, 10).map((secret) => signatureOf(secret, received));
    expect(received.headers['webhook-signature']).toBe(expected.join(' '));
  });

  receiverTest('a test: 202, and a signed webhook.test that is not in the feed [CONTRACT §15]', async () => {
    const own = await subscribeReader(service);
    const before = await totalOf(service, '/events');
    const { status, json } = await act(service, `${own.path}/test`);
    const expected = { event_id: null, event_type: 'webhook.test', sequence: null, status: 'pending' };
    expect([status, json]).toEqual([202, expect.objectContaining(expected)]);
    const [ended] = await deliveries(service, own, 1, 'succeeded');
    // The attempt counts when it has ended.
    expect(own.read).toEqual([expect.objectContaining({ id: json.id, attempts: 0, response_status: null })]);
    expect(ended).toMatchObject({ id: json.id, attempts: 1, response_status: 200 });
    const [received] = own.receiver.requests as [ReceivedRequest];
    expect(received.headers['webhook-id']).toBe(`evt_test_${json.id}`);
    expect(received.headers['webhook-signature']).toBe(signatureOf(own.endpoint.secret, received));
    const event = JSON.parse(received.body);
    const actor = await service.subject();
    const resource = { resource_type: 'webhook_endpoint', resource_id: own.endpoint.id, version: 1, changed: [] };
    const test = { id: null, sequence: null, type: 'webhook.test', ...resource, actor, created_at: json.created_at };
    expect(event).toMatchObject(test);
    const feedEvent = await eventOf(service, own.endpoint.id);
    expect(Object.keys(event).sort()).toEqual(Object.keys(feedEvent).sort());
    expect(await totalOf(service, '/events')).toBe(before);
  });

  receiverTest('a rewind: later events are sent again; a second one within a minute: 429 [CONTRACT §15]', async () => {
    const first = await eventOf(service, await createCustomer(service));
    const second = await eventOf(service, await createCustomer(service));
    const own = await subscribe(service, behaviors.ok);
    const third = await eventOf(service, await createCustomer(service));
    await deliveries(service, own, 1, 'succeeded');
    const headers = { 'idempotency-key': randomUUID() };
    const rewind = () => post(service, `${own.path}/rewind`, { sequence: first.sequence }, { headers });
    const rewound = await rewind();
    expect([rewound.status, rewound.json.id, rewound.headers['etag']]).toEqual([200, own.endpoint.id, '"1"']);
    await deliveries(service, own, 3, 'succeeded');
    const sequences = bodies(own.receiver).map(({ sequence }) => sequence);
    expect(sequences.sort()).toEqual([second.sequence, third.sequence, third.sequence].sort());
    const again = await act(service, `${own.path}/rewind`, { sequence: 9_007_199_254_740_991 });
    expect([again.status, again.json.code]).toEqual([429, 'too-many-rewinds']);
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0);
    const replay = await rewind();
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([rewound.text, 'true']);
    const later = await createCustomer(service);
    await deliveries(service, own, 4, 'succeeded');
    expect(bodies(own.receiver).at(-1).resource_id).toBe(later);
  });

  receiverTest('a retry: 202 and sent again; 409 while pending, disabled or deleted [CONTRACT §15]', async () => {
    const own = await subscribe(service, behaviors.ok);
    await createCustomer(service);
    const [{ id }] = (await deliveries(service, own, 1, 'succeeded')) as [Row];
    const delivery = `/v1/webhook-deliveries/${id}`;
    const again = await act(service, `${delivery}/retry`);
    expect(again).toMatchObject({ status: 202, headers: { location: delivery }, json: { id, status: 'pending' } });
    await service.until(delivery, ({ json }) => json.status === 'succeeded' && json.attempts === 2);
    const [first, second] = own.receiver.requests as [ReceivedRequest, ReceivedRequest];
    expect([second.headers['webhook-id'], second.body]).toEqual([first.headers['webhook-id'], first.body]);
    const refused = async (target = delivery) => {
      const { status, json } = await act(service, `${target}/retry`);
      expect([status, json.code]).toEqual([409, 'delivery-not-retryable']);
    };
    const failing = await subscribe(service, behaviors.failing);
    await createCustomer(service);
    await refused(`/v1/webhook-deliveries/${(await attempted(service, failing)).id}`);
    await patch(service, own.path, { status: 'disabled' });
    await refused();
    await remove(service, own.path);
    await refused();
    expect((await service.send(delivery)).json).toMatchObject({ status: 'succeeded', attempts: 2 });
  });

  receiverTest('a deleted endpoint: its pending deliveries are canceled [CONTRACT §15]', async () => {
    const own = await subscribe(service, behaviors.throttling);
    const other = await subscribe(service, behaviors.throttling);
    await createCustomer(service);
    const { next_attempt_at } = await attempted(service, own);
    await attempted(service, other);
    expect((await remove(service, own.path)).status).toBe(204);
    const [canceled] = (await deliveries(service, own, 1, 'canceled')) as [Row];
    expect(canceled.updated_at < next_attempt_at).toBe(true);
    expect(canceled).toMatchObject({ attempts: 1, next_attempt_at: null });
    expect(own.receiver.requests).toHaveLength(1);
    await deliveries(service, other, 1, 'pending');
  });

  receiverTest('deliveries by endpoint, by status and by both: only the matching ones [CONTRACT §15]', async () => {
    const [good, bad] = [await subscribe(service, behaviors.ok), await subscribe(service, behaviors.failing)];
    await createCustomer(service);
    await deliveries(service, good, 1, 'succeeded');
    await attempted(service, bad);
    const count = async (own: Subscribed, status: string) =>
      (await service.send(deliveriesOf(own, `&status=${status}`))).json.data.length;
    expect([await count(good, 'succeeded'), await count(good, 'pending')]).toEqual([1, 0]);
    expect([await count(bad, 'succeeded'), await count(bad, 'pending'), await count(bad, 'failed')]).toEqual([0, 1, 0]);
    const { json } = await service.send('/v1/webhook-deliveries?status=pending&sort=-id&limit=1');
    expect(json.data[0].webhook_endpoint_id).toBe(bad.endpoint.id);
  });
});
