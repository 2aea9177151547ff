import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type Client, createClient, InvoicingError, verifyWebhook } from '#client/source/index.ts';
import { openGateway } from '#local/gateway/gateway.ts';
import { createSecret, sign } from '#shared/platform/webhooks/signature.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';

const secret = createSecret();
const other = createSecret();
const id = 'evt_1';
const body = '{"id":1,"type":"customer.created","actor":"Zoë"}';
const event = JSON.parse(body);
const now = () => Math.floor(Date.now() / 1000);

/** The headers of a message that the official library signs. */
const officially = (timestamp = now(), text = body, key = secret): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': new Webhook(key).sign(id, new Date(timestamp * 1000), text),
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('verifyWebhook and the official library [Standard Webhooks]', () => {
  test('a message that the library signs: accepted', async () => {
    expect(await verifyWebhook(officially(), body, secret)).toEqual(event);
    expect(await verifyWebhook(officially(), body, [secret])).toEqual(event);
  });

  const padded = new TextEncoder().encode(`${body}  `);
  const length = padded.length - 2;
  test.each<[string, ArrayBuffer | ArrayBufferView]>([
    ['a Uint8Array', padded.subarray(0, length)],
    ['a Buffer', Buffer.from(body)],
    ['an ArrayBuffer', padded.buffer.slice(0, length)],
    ['a DataView of a part of its buffer', new DataView(padded.buffer, 0, length)],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(bytes).buffer', { bytes: Buffer.from(body) })],
  ])('the body as %s: accepted', async (_, bytes) => {
    expect(await verifyWebhook(officially(), bytes, secret)).toEqual(event);
  });

  test('a message that the service signs: the library and the client accept it', async () => {
    const timestamp = now();
    const signature = sign({ id, timestamp, body }, [other, secret]);
    const headers = { ...officially(), 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
    for (const key of [secret, other]) {
      expect(new Webhook(key).verify(body, headers)).toEqual(event);
      expect(await verifyWebhook(headers, body, key)).toEqual(event);
    }
  });

  test.each<[string, (headers: Record<string, string>) => Record<string, string>, string, string]>([
    ['a changed body', (headers) => headers, `${body} `, 'no signature fits'],
    ['another id', (headers) => ({ ...headers, 'webhook-id': 'evt_2' }), body, 'no signature fits'],
    [
      'another time',
      (headers) => ({ ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) - 1}` }),
      body,
      'no signature fits',
    ],
    ['the signature of another secret', () => officially(now(), body, other), body, 'no signature fits'],
    ['a signature that is no Base64', (headers) => ({ ...headers, 'webhook-signature': 'v1,§' }), body, 'no signature'],
    [
      'a signature of another version',
      (headers) => ({ ...headers, 'webhook-signature': `v1a${headers['webhook-signature']?.slice(2)}` }),
      body,
      'no signature fits',
    ],
    ['no signature', ({ 'webhook-signature': _, ...headers }) => headers, body, 'webhook-signature is missing'],
    ['an empty id', (headers) => ({ ...headers, 'webhook-id': '' }), body, 'webhook-id is missing'],
    ['a time that is no number', (headers) => ({ ...headers, 'webhook-timestamp': '1e3' }), body, 'not a number'],
    ['a time of 301 seconds ago', () => officially(now() - 302), body, 'seconds old, and the tolerance is 300'],
    ['a time in 301 seconds', () => officially(now() + 303), body, 'seconds in the future'],
    ['a body that is not JSON', () => officially(now(), 'id=1'), 'id=1', 'the body is not JSON'],
  ])('%s: an error that names it', async (_, change, text, message) => {
    const headers = change(officially());
    const error = await verifyWebhook(headers, text, secret).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvoicingError);
    expect(error).toMatchObject({ code: 'invalid-webhook', message: expect.stringContaining(message) });
    // The library ignores a time that begins with a number.
    if (!message.includes('not a number')) expect(() => new Webhook(secret).verify(text, headers)).toThrow();
  });

  test.each<[string, string | readonly string[]]>([
    ['webhook-id', [id, id]],
    ['webhook-id', [id]],
    ['webhook-id', `${id}, ${id}`],
    ['webhook-timestamp', ['1', '1']],
    ['webhook-timestamp', '1764000000,1764000000'],
    ['webhook-signature', ['v1,a', 'v1,b']],
  ])('the header %s as %j: an error that says that it is a list', async (name, value) => {
    const headers = { ...officially(), [name]: value };
    await expect(verifyWebhook(headers, body, secret)).rejects.toThrow(
      `the header ${name} is a list: it was sent more than once`,
    );
  });

  test('a time at the edge of the tolerance, or within a longer one: accepted', async () => {
    expect(await verifyWebhook(officially(now() - 295), body, secret)).toEqual(event);
    expect(await verifyWebhook(officially(now() + 295), body, secret)).toEqual(event);
    expect(await verifyWebhook(officially(now() - 3000), body, secret, { tolerance: 3600 })).toEqual(event);
    await expect(verifyWebhook(officially(now() - 30), body, secret, { tolerance: 10 })).rejects.toThrow('seconds old');
  });

  const forged = `v1,${btoa('x'.repeat(32))}`;
  const signedLast = (entries: readonly string[]) => {
    const headers = officially();
    return { ...headers, 'webhook-signature': [...entries, headers['webhook-signature']].join(' ') };
  };

  test('a header of a thousand forged signatures: the client computes one HMAC for each secret', async () => {
    const hmacs = (['sign', 'verify'] as const).map((name) => jest.spyOn(crypto.subtle, name));
    const headers = { ...officially(), 'webhook-signature': Array(1000).fill(forged).join(' ') };
    await expect(verifyWebhook(headers, body, [secret, other])).rejects.toThrow('no signature fits');
    expect(hmacs.map(({ mock }) => mock.calls.length)).toEqual([2, 0]);
  });

  test('the tenth signature: accepted; the eleventh: ignored', async () => {
    expect(await verifyWebhook(signedLast(Array(9).fill(forged)), body, secret)).toEqual(event);
    await expect(verifyWebhook(signedLast(Array(10).fill(forged)), body, secret)).rejects.toThrow('no signature fits');
  });

  test('entries of another version or length: do not count as signatures', async () => {
    const others = ['', 'v1', 'v1,', 'v1a,x', `v1a,${btoa('x'.repeat(31))}`, `v1,${btoa('x'.repeat(33))}`];
    expect(await verifyWebhook(signedLast([...others, ...others]), body, secret)).toEqual(event);
  });

  test('a signature that differs in any one character: rejected', async () => {
    const headers = officially();
    const signature = headers['webhook-signature'] as string;
    for (let i = 0; i < signature.length; i += 1) {
      const changed = `${signature.slice(0, i)}${signature[i] === 'A' ? 'B' : 'A'}${signature.slice(i + 1)}`;
      await expect(verifyWebhook({ ...headers, 'webhook-signature': changed }, body, secret)).rejects.toThrow('no sig');
    }
  });

  test('headers as Headers, in the case of Node, of sam local and of HTTP: accepted', async () => {
    const headers = officially();
    const rename = (change: (name: string) => string) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
    const title = (name: string) => name.replaceAll(/\b\w/g, (letter) => letter.toUpperCase());
    for (const form of [new Headers(headers), headers, rename(title), rename((name) => name.toUpperCase())]) {
      expect(await verifyWebhook(form, body, secret)).toEqual(event);
    }
  });
});

test.each<[string, unknown, unknown, string]>([
  ['a parsed body', event, secret, 'body must be the unparsed body'],
  ['an array of numbers', [1, 2], secret, 'body must be the unparsed body'],
  ['no body', undefined, secret, 'body must be the unparsed body'],
  ['no secret', body, [], 'secrets must not be empty'],
  ['an undefined secret', body, undefined, 'A secret must have the form whsec_'],
  ['a secret without its prefix', body, 'c2VjcmV0', 'A secret must have the form whsec_'],
  ['a secret that is no Base64', body, 'whsec_s%cret', 'A secret must have the form whsec_'],
])('%s: a TypeError without the secret', async (_, given, secrets, message) => {
  const error = await verifyWebhook(officially(), given as string, secrets as string).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain(message);
  if (typeof secrets === 'string') expect((error as Error).message).not.toContain(secrets);
});

describe('the collections of webhooks [CONTRACT §15]', () => {
  let service: Webhooks;
  let gateway: Awaited<ReturnType<typeof openGateway>>;
  let client: Client<'v1'>;
  let receiver: Receiver;

  beforeAll(async () => {
    service = await startWebhooks();
    gateway = await openGateway(0, service.handle);
    client = createClient({ baseUrl: gateway.url, token: () => service.token({ account: 'acct_client' }) });
    receiver = await startReceiver(behaviors.failing);
  });
  afterAll(async () => {
    await Promise.all([receiver.close(), gateway.close(0), service.stop()]);
  });

  const received = async () => {
    await service.drain();
    const { headers, body: text } = receiver.requests.at(-1) ?? { headers: {}, body: '' };
    return { headers, text };
  };

  test('an endpoint: created, tested, rotated, rewound, retried and deleted; each secret verifies', async () => {
    const { webhookEndpoints, webhookDeliveries } = client;
    const created = await webhookEndpoints.create({ url: receiver.url, event_types: ['customer.created'] });
    const first = String(created.secret);
    expect((await webhookEndpoints.get(created.id)).secret).toBeNull();

    const test = await webhookEndpoints.test(created.id);
    const sent = await received();
    const verified = await verifyWebhook(sent.headers, sent.text, first);
    expect(verified).toMatchObject({ id: null, sequence: null, type: 'webhook.test', resource_id: created.id });

    const second = String((await webhookEndpoints.rotateSecret(created.id)).secret);
    const { id: customer } = await client.customers.create({ name: 'Ada' });
    await service.dispatch('acct_client');
    const signed = await received();
    for (const one of [first, second]) {
      expect(await verifyWebhook(signed.headers, signed.text, one)).toMatchObject({ resource_id: customer });
    }

    expect(await webhookEndpoints.rewind(created.id, { sequence: 0 })).toMatchObject({ id: created.id, secret: null });
    await expect(webhookDeliveries.retry(test.id)).rejects.toMatchObject({ code: 'delivery-not-retryable' });
    const { data } = await webhookDeliveries.list({ webhook_endpoint_id: created.id, status: 'pending' });
    expect(data.map(({ event_type }) => event_type)).toContain('webhook.test');
    await webhookEndpoints.delete(created.id);
    await service.drain();
    expect(await webhookDeliveries.get(test.id)).toMatchObject({ status: 'canceled' });
  });
});
