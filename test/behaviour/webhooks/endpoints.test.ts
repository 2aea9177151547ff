import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import type { Answer } from '#test/support/service.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/webhooks.ts';

let service: Webhooks;
let account: Account;

beforeAll(async () => {
  service = await startWebhooks({ allowsLocal: false });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.queue.purge();
  account = service.account();
});

const URL = 'https://example.com/hooks';
const PATH = '/v1/webhook-endpoints';
const create = (body: object = { url: URL }) => account.call('POST', PATH, body);
const pathOf = ({ id }: { id: number }) => `${PATH}/${id}`;
const violations = ({ status, json }: Answer) => [
  status,
  json.errors?.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`).sort(),
];
const events = async (): Promise<Answer['json'][]> => (await account.call('GET', '/v1/events?limit=100')).json.data;
const messages = async () => (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));

describe('the fields of a webhook endpoint', () => {
  test.each(['v1', 'v2'])('%s, only a url: 201 with all defaults [CONTRACT §15]', async (version) => {
    const { status, headers, json } = await account.call('POST', `/${version}/webhook-endpoints`, { url: URL });
    const { id, secret, created_at } = json;
    expect([status, headers['etag'], headers['location']]).toEqual([201, '"1"', `/${version}/webhook-endpoints/${id}`]);
    expect(json).toEqual({
      id,
      url: URL,
      description: null,
      event_types: ['*'],
      status: 'enabled',
      disabled_reason: null,
      secret,
      created_at,
      updated_at: created_at,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    const read = await account.call('GET', `/${version}/webhook-endpoints/${id}`);
    expect(read.json).toEqual({ ...json, secret: null });
  });

  test('every field: stored as sent; read-only fields are ignored [CONTRACT §4, CONTRACT §15]', async () => {
    const body = {
      url: 'https://example.com:8443/a?b=c',
      description: 'Ledger',
      event_types: ['invoice.paid', 'customer.created'],
      status: 'disabled',
    };
    const { json } = await create({ ...body, disabled_reason: 'gone', secret: 'whsec_mine' });
    expect(json).toMatchObject({ ...body, disabled_reason: 'requested' });
    expect(json.secret).not.toBe('whsec_mine');
  });

  test.each([
    [{ url: 'http://example.com' }, ['/url invalid-url']],
    [{ url: 'ftp://example.com' }, ['/url invalid-url']],
    [{ url: 'example.com' }, ['/url invalid-url']],
    [{ url: '' }, ['/url invalid-url']],
    [{ url: 'https://example.com:80' }, ['/url invalid-url']],
    [{ url: 'https://example.com:9001/x' }, ['/url invalid-url']],
    [{ url: 'https://ada@example.com' }, ['/url invalid-url']],
    [{ url: ' https://example.com/' }, ['/url invalid-url']],
    [{ url: 'https://example.com/a\r\nX-Injected: b' }, ['/url invalid-url']],
    [{ url: 'https:\\\\example.com\\hooks' }, ['/url invalid-url']],
    [{ url: 'https://example.com/\0' }, ['/url invalid-text', '/url invalid-url']],
    [{ url: `https://${'a.'.repeat(900)}example` }, ['/url invalid-url']],
    [{ url: 'https://:secret@example.com' }, ['/url invalid-url']],
    [{ url: 'https://127.0.0.1' }, ['/url invalid-url']],
    [{ url: 'https://2130706433' }, ['/url invalid-url']],
    [{ url: 'https://0x7f.1' }, ['/url invalid-url']],
    [{ url: 'https://10.1.2.3:8443' }, ['/url invalid-url']],
    [{ url: 'https://169.254.169.254/latest/meta-data' }, ['/url invalid-url']],
    [{ url: 'https://[::1]' }, ['/url invalid-url']],
    [{ url: 'https://[::ffff:10.0.0.1]' }, ['/url invalid-url']],
    [{ url: 'https://[fd00::1]' }, ['/url invalid-url']],
    [{ url: `https://example.com/${'a'.repeat(1981)}` }, ['/url too-long']],
    [{ url: null }, ['/url invalid-type']],
    [{ url: 5 }, ['/url invalid-type']],
    [{}, ['/url required']],
    [{ url: URL, event_types: [] }, ['/event_types out-of-range']],
    [{ url: URL, event_types: ['invoice.eaten'] }, ['/event_types/0 not-allowed']],
    [{ url: URL, event_types: ['webhook.test'] }, ['/event_types/0 not-allowed']],
    [{ url: URL, event_types: ['*', 'invoice.paid'] }, ['/event_types not-allowed']],
    [{ url: URL, event_types: ['*', '*'] }, ['/event_types not-allowed']],
    [{ url: URL, event_types: Array(51).fill('invoice.paid') }, ['/event_types out-of-range']],
    [{ url: URL, event_types: 'invoice.paid' }, ['/event_types invalid-type']],
    [{ url: URL, event_types: null }, ['/event_types invalid-type']],
    [{ url: URL, status: 'gone' }, ['/status not-allowed']],
    [{ url: URL, status: null }, ['/status not-allowed']],
    [{ url: URL, description: 5 }, ['/description invalid-type']],
    [{ url: URL, position: 0 }, ['/position unknown-field']],
    [{ url: URL, secrets: [] }, ['/secrets unknown-field']],
    [
      { url: 'http://example.com', event_types: ['*', 'invoice.paid'], status: 'x', more: 1 },
      ['/event_types not-allowed', '/more unknown-field', '/status not-allowed', '/url invalid-url'],
    ],
  ])(
    '%j: 422 at create and, except for missing fields, at PATCH [CONTRACT §4, CONTRACT §15]',
    async (body, expected) => {
      expect(violations(await create(body))).toEqual([422, expected]);
      const { json } = await create();
      if ('url' in body) expect(violations(await account.call('PATCH', pathOf(json), body))).toEqual([422, expected]);
      expect((await account.call('GET', pathOf(json))).json).toEqual({ ...json, secret: null });
    },
  );

  test.each([
    'https://8.8.8.8',
    'https://[2606:4700::1111]:8443',
    'https://EXAMPLE.com:443',
    'https://örtchen.example',
  ])('%s: allowed [CONTRACT §15]', async (url) => {
    expect((await create({ url })).json.url).toBe(url);
  });

  test('a url of 2,000 characters and 50 event types: allowed [CONTRACT §15]', async () => {
    const url = `https://example.com/${'a'.repeat(1980)}`;
    const event_types = Array.from({ length: 50 }, (_, i) => EVENT_TYPES[i % EVENT_TYPES.length]);
    expect((await create({ url, event_types })).json).toMatchObject({ url, event_types });
  });
});

describe('the number of webhook endpoints', () => {
  test('the 21st: 422; a deletion makes room for one [CONTRACT §15]', async () => {
    const created: Answer[] = [];
    for (let i = 0; i < 20; i++) created.push(await create());
    expect(created.map(({ status }) => status)).toEqual(Array(20).fill(201));
    for (const query of ['', '?dry_run=true']) {
      const { status, json } = await account.call('POST', `${PATH}${query}`, { url: URL });
      expect([status, json.code]).toEqual([422, 'too-many-webhook-endpoints']);
    }
    expect((await account.call('DELETE', pathOf(created[0]?.json))).status).toBe(204);
    expect([(await create()).status, (await create()).status]).toEqual([201, 422]);
    expect((await service.account().call('POST', PATH, { url: URL })).status).toBe(201);
  });

  test('30 concurrent creations: 20 succeed [CONTRACT §15]', async () => {
    const statuses = (await Promise.all(Array.from({ length: 30 }, () => create()))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    expect((await account.call('GET', `${PATH}?limit=100`)).json.data).toHaveLength(20);
  });

  test('a creation that is repeated under its key: one endpoint, and the same secret [CONTRACT §8, CONTRACT §15]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, again] = [
      await account.call('POST', PATH, { url: URL }, { headers }),
      await account.call('POST', PATH, { url: URL }, { headers }),
    ];
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect((await account.call('GET', PATH)).json.data).toHaveLength(1);
  });
});

describe('scopes', () => {
  const WRITES = ['', '/rotate-secret', '/test', '/rewind'];

  test.each(['viewer', 'clerk', 'accountant'])(
    '%s: reads, but does not write [CONTRACT §2, CONTRACT §15]',
    async (role) => {
      const { json } = await create();
      const { json: delivery } = await account.act(`webhook-endpoints/${json.id}/test`);
      const deliveryPath = `/v1/webhook-deliveries/${delivery.id}`;
      const statusOf = async (method: string, path: string, body?: object) => {
        const answer = await account.call(method, path, body, { role });
        return answer.status === 403 ? answer.json.code : answer.status;
      };
      for (const path of [PATH, pathOf(json), '/v1/webhook-deliveries', deliveryPath])
        expect([path, await statusOf('GET', path)]).toEqual([path, 200]);
      for (const [method, path, body] of [
        ['POST', PATH, { url: URL }],
        ['PATCH', pathOf(json), { description: 'x' }],
        ['DELETE', pathOf(json)],
        ...WRITES.slice(1).map((action) => ['POST', `${pathOf(json)}${action}`, { sequence: 0 }] as const),
        ['POST', `${deliveryPath}/retry`],
      ] as const)
        expect([path, await statusOf(method, path, body)]).toEqual([path, 'insufficient-scope']);
      expect((await account.call('GET', pathOf(json))).headers['etag']).toBe('"1"');
    },
  );

  test('an admin: reads and writes [CONTRACT §15]', async () => {
    const { json } = await create();
    for (const action of WRITES) {
      const body = action === '/rewind' ? { sequence: 0 } : undefined;
      const answer = await account.call(
        action ? 'POST' : 'PATCH',
        `${pathOf(json)}${action}`,
        body ?? (action ? undefined : {}),
      );
      expect([action, answer.status]).toEqual([action, action === '/test' ? 202 : 200]);
    }
  });
});

describe('the status of a webhook endpoint', () => {
  test('PATCH to disabled, then to enabled: the reason comes and disappears; only enabling sends a message [CONTRACT §15]', async () => {
    const { json } = await create();
    expect(await account.patchEndpoint(json.id, { status: 'disabled' })).toMatchObject({
      status: 'disabled',
      disabled_reason: 'requested',
    });
    expect(await messages()).toEqual([]);
    expect(await account.patchEndpoint(json.id, { status: 'disabled' })).toMatchObject({
      disabled_reason: 'requested',
    });
    expect(await account.patchEndpoint(json.id, { status: 'enabled' })).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
    });
    expect(await messages()).toEqual([{ account_id: account.id, webhook_endpoint_id: json.id }]);
    expect(await account.patchEndpoint(json.id, { status: 'enabled' })).toMatchObject({ status: 'enabled' });
    expect(await messages()).toEqual([]);
  });

  test('a stale If-Match: 412 at each write, and nothing changes; the current one: success [CONTRACT §7]', async () => {
    const { json } = await create();
    const send = (etag: string, [method, path, body]: readonly [string, string, object?]) =>
      account.call(method, `${pathOf(json)}${path}`, body, { headers: { 'if-match': etag } });
    const writes = [
      ['PATCH', '', { description: 'x' }],
      ['POST', '/rotate-secret'],
      ['POST', '/rewind', { sequence: 0 }],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const;
    for (const write of writes) expect((await send('"9"', write)).status).toBe(412);
    let etag = '"1"';
    for (const write of writes) {
      const { status, headers } = await send(etag, write);
      expect([write[1], status]).toEqual([write[1], write[0] === 'DELETE' ? 204 : write[1] === '/test' ? 202 : 200]);
      if (write[1] !== '/test') etag = headers['etag'] ?? etag;
    }
    expect(etag).toBe('"3"');
  });
});

describe('the secret', () => {
  test('only in the responses to create and rotate, and in their replays [CONTRACT §15]', async () => {
    const { json: created } = await create();
    const headers = { 'idempotency-key': randomUUID() };
    const rotate = () => account.call('POST', `${pathOf(created)}/rotate-secret`, undefined, { headers });
    const [rotated, replay] = [await rotate(), await rotate()];
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(created.secret);
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([rotated.text, 'true']);
    await account.act(`webhook-endpoints/${created.id}/test`);
    const answers = [
      await account.call('GET', PATH),
      await account.call('GET', `${PATH}?fields=secret`),
      await account.call('GET', pathOf(created)),
      await account.call('PATCH', pathOf(created), { description: 'x' }),
      await account.call('POST', `${pathOf(created)}/rewind`, { sequence: 0 }),
      await account.call('GET', '/v1/events?expand=resource'),
      await account.call('GET', '/v2/events?expand=resource'),
      await account.call('GET', '/v1/webhook-deliveries'),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toContain('whsec_');
    }
    expect(answers[5]?.json.data[0].resource).toMatchObject({ id: created.id, secret: null });
    for (const answer of answers.slice(2, 5)) expect(answer.json.secret).toBeNull();
  });

  test('a rotation or a creation in a dry run: a null secret, and nothing changes [CONTRACT §13, CONTRACT §15]', async () => {
    const { json } = await create();
    for (const version of ['/v1', '/v2']) {
      const path = pathOf(json).replace('/v1', version);
      const rotated = await account.call('POST', `${path}/rotate-secret?dry_run=true`);
      const created = await account.call('POST', `${version}/webhook-endpoints?dry_run=true`, { url: URL });
      expect([rotated.status, rotated.json.id, rotated.json.secret]).toEqual([200, json.id, null]);
      expect([created.status, created.json.id, created.json.secret]).toEqual([201, null, null]);
    }
    const { etag } = (await account.call('GET', pathOf(json))).headers;
    expect([etag, (await events()).map(({ type }) => type)]).toEqual(['"1"', ['webhook_endpoint.created']]);
  });
});

describe('the events of a webhook endpoint', () => {
  test('create, update, disable, rotate and delete: each has its event; the rest has none [CONTRACT §14, CONTRACT §15]', async () => {
    const { json } = await create();
    await account.patchEndpoint(json.id, { description: 'x' });
    await account.patchEndpoint(json.id, { status: 'disabled' });
    await account.act(`webhook-endpoints/${json.id}/rotate-secret`);
    await account.act(`webhook-endpoints/${json.id}/rewind`, { sequence: 0 });
    const delivery = (await account.act(`webhook-endpoints/${json.id}/test`)).json;
    await account.patchEndpoint(json.id, { status: 'enabled', event_types: ['invoice.paid'] });
    await service.dispatch(account.id);
    await service.drain();
    expect((await account.call('GET', `/v1/webhook-deliveries/${delivery.id}`)).json.attempts).toBe(1);
    await account.call('DELETE', pathOf(json));
    expect((await events()).map(({ type, changed, version }) => [type, changed, version])).toEqual([
      ['webhook_endpoint.created', [], 1],
      ['webhook_endpoint.updated', ['description'], 2],
      ['webhook_endpoint.updated', ['disabled_reason', 'status'], 3],
      ['webhook_endpoint.updated', ['secret'], 4],
      ['webhook_endpoint.updated', ['disabled_reason', 'event_types', 'status'], 5],
      ['webhook_endpoint.deleted', [], 5],
    ]);
  });
});

describe('other accounts', () => {
  test('endpoints and deliveries of another account: in no list, and 404 [CONTRACT §2]', async () => {
    const { json } = await create();
    const delivery = (await account.act(`webhook-endpoints/${json.id}/test`)).json;
    const other = service.account();
    for (const path of [PATH, '/v1/webhook-deliveries', `/v1/webhook-deliveries?webhook_endpoint_id=${json.id}`])
      expect([path, (await other.call('GET', path)).json.data]).toEqual([path, []]);
    const deliveryPath = `/v1/webhook-deliveries/${delivery.id}`;
    for (const [method, path, body] of [
      ['GET', pathOf(json)],
      ['PATCH', pathOf(json), { status: 'disabled' }],
      ['DELETE', pathOf(json)],
      ['POST', `${pathOf(json)}/rotate-secret`],
      ['POST', `${pathOf(json)}/test`],
      ['POST', `${pathOf(json)}/rewind`, { sequence: 0 }],
      ['GET', deliveryPath],
      ['POST', `${deliveryPath}/retry`],
    ] as const)
      expect([path, (await other.call(method, path, body)).status]).toEqual([path, 404]);
    expect((await account.call('GET', pathOf(json))).headers['etag']).toBe('"1"');
  });
});
