import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { FORBIDDEN_HOSTS } from '#test/support/receivers/forbidden-addresses.ts';
import type { Answer } from '#test/support/service/client.ts';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { idsOf } from '../support/pages.ts';
import { QUIET } from '../support/prerequisites.ts';
import { patch } from '../support/requests.ts';
import { createEndpoint, PATH, pathOf, RECEIVER_URL, violations } from './endpoints.ts';

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

  test('every field: stored as sent; read-only fields are ignored [CONTRACT §4]', async () => {
    const event_types = ['invoice.paid', 'customer.created'];
    const body = { url: 'https://example.com:8443/a?b=c', description: 'Ledger', event_types, status: 'disabled' };
    const { json } = await createEndpoint(service, { ...body, disabled_reason: 'gone', secret: 'whsec_mine' });
    expect(json).toMatchObject({ ...body, disabled_reason: 'requested' });
    expect(json.secret).not.toBe('whsec_mine');
  });

  test('a url of 2,000 characters and 50 event types: allowed [CONTRACT §15]', async () => {
    const url = `https://example.com/${'a'.repeat(1980)}`;
    const event_types = Array.from({ length: 50 }, (_, i) => EVENT_TYPES[i % EVENT_TYPES.length]);
    expect((await createEndpoint(service, { url, event_types })).json).toMatchObject({ url, event_types });
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
    const rotate = () => service.send(`${path}/rotate-secret`, { method: 'POST', headers });
    const dryRuns = [
      await service.send(`${path}/rotate-secret?dry_run=true`, { method: 'POST' }),
      await service.send(`${PATH}?dry_run=true`, { method: 'POST', body: { url: 'https://example.com' } }),
    ];
    expect(dryRuns.map(({ status, json }) => [status, json.secret])).toEqual([
      [200, null],
      [201, null],
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
