import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { dirname, resolve as resolvePath } from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { getSystemErrorMap, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { post as sendPost } from '#shared/platform/webhooks/post.ts';
import type { Resolve } from '#shared/platform/webhooks/resolve-name.ts';
import type { Answer } from '#shared/platform/webhooks/schedule.ts';
import { type NameServer, useNameServer } from '#test/support/receivers/name-server.ts';
import {
  type Behavior,
  behaviors,
  CERTIFICATE,
  CHAIN,
  EXPIRED_CERTIFICATE,
  type Receiver,
  resolveTo,
  respond,
  startReceiver,
} from '#test/support/receivers/webhook-receivers.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { until } from '#test/support/waiting/until.ts';

const TRUSTED = getCACertificates();
const ROOT = resolvePath(dirname(fileURLToPath(import.meta.url)), '../../../..');
const MESSAGE = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"name":"Zoë"}' };
const TIMEOUT_MS = 400;
/** The time of queries for a name (shared/platform/webhooks/resolve-name.ts). */
const RESOLUTION_MS = 5000;
const LOCAL = { allowsLocal: true, timeoutMs: TIMEOUT_MS, resolve: resolveTo(['127.0.0.1']) };

const receivers: Receiver[] = [];
const start = async (...args: Parameters<typeof startReceiver>): Promise<Receiver> => {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  return receiver;
};

/** The URL of a receiver by a name, which LOCAL resolves. */
const named = ({ url }: Receiver): string => url.replace('127.0.0.1', 'localhost');

const SYSTEM_ERRORS = [...getSystemErrorMap().values()].map(([name]) => name);
const codesIn = (detail: string): string[] => detail.match(/\b[A-Z][A-Z\d]*_[A-Z\d_]+\b|\bE[A-Z]{3,}\b/g) ?? [];

/** Sends a request, and asserts that the outcome fits its schema and names only error codes of the system. */
const post: typeof sendPost = async (...args) => {
  const answer = await sendPost(...args);
  const { status, body, error } = answer;
  expect(codesIn(error?.detail ?? '').filter((code) => !SYSTEM_ERRORS.includes(code))).toEqual([]);
  for (const text of [body, error?.detail]) {
    expect([...(text ?? '')].length).toBeLessThanOrEqual(1000);
    expect(/\0|\p{Cs}/u.test(text ?? '')).toBe(false);
  }
  if (status !== null) expect(status).toBeGreaterThanOrEqual(100);
  return answer;
};

/** Each call of a socket's `connect`, and the addresses that it then tried. */
const connects: { socket: Socket; options: { autoSelectFamilyAttemptTimeout?: number }; tried: string[] }[] = [];
/** The port that sockets connect to instead of that of the URL. */
let redirectTo: number | undefined;
/** The deadlines since the start of the test. They pass only when the test lets them pass. */
const deadlines: (() => void)[] = [];
const passDeadlines = (): void => {
  for (const pass of deadlines) pass();
};

beforeEach(() => {
  connects.length = 0;
  redirectTo = undefined;
  deadlines.length = 0;
  const schedule = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms?: number, ...rest: []) => {
    if (ms === TIMEOUT_MS) deadlines.push(act);
    return ms === TIMEOUT_MS || ms === RESOLUTION_MS ? undefined : schedule(act, ms, ...rest);
  }) as typeof setTimeout);
  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
    const options = Array.isArray(args[0]) ? args[0][0] : args[0];
    const tried: string[] = [];
    connects.push({ socket: this, options, tried });
    this.on('connectionAttempt', (address: string) => tried.push(address));
    if (redirectTo) options.port = redirectTo;
    return connect.apply(this, args);
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  restoreTrust?.();
  restoreTrust = undefined;
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

/** Ends what `trust` began. It is not done after each test, because it takes 20 ms. */
let restoreTrust: (() => void) | undefined;
/** Trusts only this certificate until the end of the test. */
const trust = (certificate: string): void => {
  setDefaultCACertificates([certificate]);
  restoreTrust = () => setDefaultCACertificates(TRUSTED);
};

/** Waits until a receiver has no open connection. */
const closed = ({ openConnections }: Receiver): Promise<void> => until(() => openConnections() === 0);

const success = (status: number, body: string): Answer => ({ status, body, retryAfterMs: undefined, error: null });
type Code = NonNullable<Answer['error']>['code'];
const failed = (code: Code, detail: string, rest: Partial<Answer> = {}): Answer => ({
  status: null,
  body: null,
  retryAfterMs: undefined,
  ...rest,
  error: { code, detail },
});
const unexpected = (status: number, body: string, rest: Partial<Answer> = {}): Answer =>
  failed('unexpected-status', `The receiver responded with status ${status}.`, { status, body, ...rest });
const TIMEOUT = failed('timeout', 'The receiver did not respond within 0.4 s.');
const brokenConnection = (detail: string) => failed('connection-failed', detail);
const TOO_MUCH = brokenConnection('The receiver sent more than 128 KB, or more than 1,000 packets, before a response.');

const OUTCOMES: Readonly<Record<keyof typeof behaviors, Answer>> = {
  ok: success(200, 'received'),
  accepted: success(202, 'queued'),
  noContent: success(204, ''),
  notModified: unexpected(304, ''),
  gone: unexpected(410, 'no longer here'),
  failing: unexpected(500, 'out of order'),
  throttling: unexpected(429, 'too fast', { retryAfterMs: 120_000 }),
  redirecting: failed('redirect', 'The receiver responded with a redirect (307), which is not followed.', {
    status: 307,
    body: 'elsewhere',
  }),
  settingCookies: success(200, ''),
  hanging: TIMEOUT,
  resetting: brokenConnection('The receiver closed the connection before a response (ECONNRESET).'),
  closing: brokenConnection('The receiver closed the connection before a response (ECONNRESET).'),
  slowHeaders: TIMEOUT,
  slowBody: success(200, expect.stringMatching(/^slow a{5,}$/) as unknown as string),
  endless: success(200, 'a'.repeat(1000)),
  brokenBody: success(200, 'broken'),
  brokenChunks: success(200, 'abc'),
  hugeHeaders: brokenConnection('The headers of the response are too large.'),
  noHttp: brokenConnection('The response is not valid HTTP.'),
  noStatus: brokenConnection('The response is not valid HTTP.'),
  oldHttp: success(200, 'old'),
  informing: success(200, 'ok'),
  onlyInforming: TIMEOUT,
  endlesslyInforming: TOO_MUCH,
  endlessLines: TOO_MUCH,
  endlessChunkSize: success(200, ''),
  upgrading: brokenConnection('The receiver upgraded the connection.'),
  offeringUpgrade: success(200, 'ok'),
};

/** The bytes that arrive before the deadline passes, of the receivers that do not respond in time. */
const BEFORE_DEADLINE = { hanging: 0, slowHeaders: 30, slowBody: 60, onlyInforming: 25 };

describe('a receiver', () => {
  test.each(Object.entries(OUTCOMES))(
    '%s: the expected outcome, one request, and no open connection [CONTRACT §15]',
    async (name, outcome) => {
      const receiver = await start(behaviors[name as keyof typeof behaviors] as Behavior);
      const posted = post({ ...MESSAGE, url: named(receiver) }, LOCAL);
      if (name in BEFORE_DEADLINE) {
        const bytes = BEFORE_DEADLINE[name as keyof typeof BEFORE_DEADLINE];
        await until(() => receiver.requests.length === 1 && (connects[0]?.socket.bytesRead ?? 0) >= bytes);
        passDeadlines();
      }
      expect(await posted).toEqual(outcome);
      expect(receiver.requests.length).toBe(1);
      expect(connects[0]?.socket.bytesRead).toBeLessThan(1_000_000);
      await closed(receiver);
      if (name === 'endless') expect(connects[0]?.socket.bytesRead).toBeGreaterThan(16_384);
    },
  );

  test.each([
    ...['HTTP/1.1 000 Zero\r\n\r\n', 'HTTP/1.1 012 Low\r\n\r\n', 'HTTP/1.1 099 Low\r\n\r\n'],
    ...['HTTP/1.1 1000 High\r\n\r\n', 'HTTP/1.1 9 Short\r\n\r\n', 'HTTP/1.1 -1 Less\r\n\r\n'],
    ...['HTTP/2 200 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', '<html></html>'],
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ])('that sends %j: connection-failed, without a status [CONTRACT §15]', async (text) => {
    const receiver = await start(({ socket }) => socket.end(text));
    const outcome = await post({ ...MESSAGE, url: receiver.url }, LOCAL);
    expect(outcome).toEqual(brokenConnection('The response is not valid HTTP.'));
  });

  test('without a listener: connection-failed, because the connection was refused [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    await receivers.pop()?.close();
    const outcome = await post({ ...MESSAGE, url: named(receiver) }, LOCAL);
    expect(outcome).toEqual(brokenConnection('The receiver refused the connection (ECONNREFUSED).'));
  });

  test('that responds without reading the request: the outcome, and no open socket', async () => {
    const accepted: Socket[] = [];
    const server = createServer((socket) => {
      accepted.push(socket);
      socket
        .on('error', () => {})
        .pause()
        .write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outcome = await post({ ...MESSAGE, url, body: 'a'.repeat(20_000_000) }, LOCAL);
    const isDestroyed = connects.map(({ socket }) => socket.destroyed);
    for (const socket of accepted) socket.destroy();
    server.close();
    await once(server, 'close');
    expect([outcome, isDestroyed]).toEqual([success(200, 'ok'), [true]]);
  });

  test('that sends each byte after the last one was read: connection-failed after 1,000 reads [CONTRACT §15]', async () => {
    let reads = 0;
    const receiver = await start(({ socket }) => {
      connects[0]?.socket.on('data', () => {
        reads += 1;
        socket.write('a');
      });
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    });
    expect(await post({ ...MESSAGE, url: receiver.url }, LOCAL)).toEqual(TOO_MUCH);
    expect(reads).toBe(1001);
  });

  test.each<[what: string, body: Buffer | string, expected: string]>([
    ['1,000 characters', 'a'.repeat(1000), 'a'.repeat(1000)],
    ['1,001 characters', `${'a'.repeat(1000)}b`, 'a'.repeat(1000)],
    ['1,001 characters of four bytes', '🧾'.repeat(1001), '🧾'.repeat(1000)],
    ['U+0000', 'a\0b', 'a\uFFFDb'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]), 'a\uFFFD\uFFFD\uFFFD\uFFFDb'],
    ['half a character', Buffer.from('aé').subarray(0, 2), 'a\uFFFD'],
  ])('with a body of %s: its first 1,000 characters, well-formed [CONTRACT §15]', async (_, body, expected) => {
    const receiver = await start(respond(200, {}, body));
    const outcome = await post({ ...MESSAGE, url: receiver.url }, LOCAL);
    expect(outcome).toEqual(success(200, expected));
    expect(outcome.body?.isWellFormed()).toBe(true);
  });

  const now = 1000 * Math.floor(Date.now() / 1000);
  const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toUTCString();
  test.each<[value: string, expected: number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['999999999', 999_999_999_000],
    [inSeconds(120), 120_000],
    [inSeconds(-120), 0],
    ['9999999999', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Mon, 99 Foo 2026 00:00:00 GMT', undefined],
    ['2026', 2_026_000],
  ])('with Retry-After: %s: %s ms [CONTRACT §15]', async (value, expected) => {
    stopClock(now);
    const receiver = await start(respond(503, { 'retry-after': value }));
    expect((await post({ ...MESSAGE, url: receiver.url }, LOCAL)).retryAfterMs).toBe(expected);
  });

  test.each([101, 300, 301, 302, 303, 305, 307, 308, 399, 600, 999])(
    'with status %d: a failure, without a second request [CONTRACT §15]',
    async (status) => {
      const other = await start(behaviors.ok);
      const head = `HTTP/1.1 ${status} X\r\nLocation: ${other.url}\r\nContent-Length: 0\r\n\r\n`;
      const receiver = await start(({ socket }) => socket.end(head));
      const { error } = await post({ ...MESSAGE, url: receiver.url }, LOCAL);
      expect(error?.code).toBe([301, 302, 303, 307, 308].includes(status) ? 'redirect' : 'unexpected-status');
      expect([receiver.requests.length, other.connections()]).toEqual([1, 0]);
    },
  );
});

describe('the deadline', () => {
  test('is 15 s by default [CONTRACT §15]', async () => {
    const timer = jest.spyOn(globalThis, 'setTimeout');
    const receiver = await start(behaviors.ok);
    await post({ ...MESSAGE, url: receiver.url }, { allowsLocal: true });
    expect(timer.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([15_000]);
  });

  test('includes the resolution of the name, which may also hang [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.hanging);
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Resolve = async (...args) => {
      begun.resolve();
      await ended.promise;
      return LOCAL.resolve(...args);
    };
    const responding = post({ ...MESSAGE, url: named(receiver) }, { ...LOCAL, resolve: slow });
    await begun.promise;
    expect(deadlines).toHaveLength(1);
    ended.resolve();
    await until(() => receiver.requests.length === 1);
    expect(deadlines).toHaveLength(1);
    passDeadlines();
    expect(await responding).toEqual(TIMEOUT);
    const resolving = post({ ...MESSAGE, url: named(receiver) }, { ...LOCAL, resolve: () => new Promise(() => {}) });
    passDeadlines();
    expect(await resolving).toEqual(TIMEOUT);
    await closed(receiver);
  });

  test('includes the handshake of TLS [CONTRACT §15]', async () => {
    const silent = createServer((socket) => socket.once('data', passDeadlines)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    redirectTo = (silent.address() as AddressInfo).port;
    expect(await post({ ...MESSAGE, url: 'https://receiver.test' }, LOCAL)).toEqual(TIMEOUT);
    silent.close();
    await once(silent, 'close');
  });
});

describe('a name', () => {
  test('is resolved once, and the connection goes to the checked address: a change in between has no effect [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok, { host: null });
    const url = `http://localhost:${receiver.port}`;
    const resolve = resolveTo(['127.0.0.1'], ['0.0.0.0'], ['127.0.0.1']);
    const results = [];
    for (let i = 0; i < 3; i++) results.push(await post({ ...MESSAGE, url }, { ...LOCAL, resolve }));
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, 'address-not-allowed', undefined]);
    expect(resolve.names).toEqual(['localhost', 'localhost', 'localhost']);
    expect(connects.map(({ tried }) => tried)).toEqual([['127.0.0.1'], [], ['127.0.0.1']]);
    expect(receiver.connections()).toBe(2);
  });

  test('with an address that does not respond: the next one is used, after 3 s at the latest', async () => {
    const receiver = await start(behaviors.ok);
    const resolve = resolveTo(['127.0.0.2', '127.0.0.1']);
    expect(await post({ ...MESSAGE, url: named(receiver) }, { ...LOCAL, resolve })).toEqual(success(200, 'received'));
    expect(connects).toMatchObject([
      { options: { autoSelectFamilyAttemptTimeout: 3000 }, tried: ['127.0.0.2', '127.0.0.1'] },
    ]);
  });

  test('of 253 characters: a detail that names it fits', async () => {
    const name = `${'a'.repeat(61)}.`.repeat(4).slice(0, -1).padStart(253, 'b.');
    const outcome = await post({ ...MESSAGE, url: `https://${name}/` }, { ...LOCAL, resolve: resolveTo(['10.0.0.1']) });
    expect(outcome).toEqual(failed('address-not-allowed', `The name ${name} has an address that is not public.`));
  });
});

describe('the name servers of this machine', () => {
  let server: NameServer;
  const SYSTEM = { allowsLocal: true };
  afterEach(() => server.close());

  test('40 names whose servers do not respond: the requests to other receivers are not delayed [CONTRACT §15]', async () => {
    const silent = Array.from({ length: 40 }, (_, i) => `silent${i}.test`);
    const names = Object.fromEntries(silent.map((name) => [name, { ignores: [4, 6] as const }]));
    server = await useNameServer({ ...names, 'receiver.test': { addresses: ['127.0.0.1'] } });
    const receiver = await start(behaviors.ok, { certificate: CERTIFICATE });
    redirectTo = receiver.port;
    trust(CERTIFICATE);
    let settled = 0;
    const others = silent.map((name) =>
      post({ ...MESSAGE, url: `https://${name}` }, { ...SYSTEM, timeoutMs: TIMEOUT_MS }).finally(() => {
        settled += 1;
      }),
    );
    await until(() => server.questions.length >= 2 * silent.length);
    const outcome = await post({ ...MESSAGE, url: 'https://receiver.test:8443' }, SYSTEM);
    expect([outcome, settled]).toEqual([success(200, 'received'), 0]);
    passDeadlines();
    expect((await Promise.all(others)).map(({ error }) => error?.code)).toEqual(silent.map(() => 'timeout'));
  });

  test('the deadline: cancels the queries of the name [CONTRACT §15]', async () => {
    server = await useNameServer({ 'silent.test': { ignores: [4, 6] } });
    const cancel = jest.spyOn(Resolver.prototype, 'cancel');
    const posted = post({ ...MESSAGE, url: 'https://silent.test' }, { ...SYSTEM, timeoutMs: TIMEOUT_MS });
    await until(() => server.questions.length >= 2);
    passDeadlines();
    expect(await posted).toEqual(TIMEOUT);
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});

test.each<[string, string]>([
  ['https://169.254.169.254:8443', 'The URL must not name an address that is not public.'],
  ['http://receiver.test', 'The URL must be an https URL.'],
  ['nonsense', 'The URL must be an https URL.'],
])('a URL that is not permitted (%s): no socket [CONTRACT §15]', async (url, detail) => {
  const outcome = await post({ ...MESSAGE, url }, { allowsLocal: false });
  expect([outcome, connects]).toEqual([failed('address-not-allowed', detail), []]);
});

test('a name with an address of this machine, without WEBHOOK_ALLOW_LOCAL: no connection [CONTRACT §15]', async () => {
  const outcome = await post({ ...MESSAGE, url: 'https://receiver.test' }, { ...LOCAL, allowsLocal: false });
  const detail = 'The name receiver.test has an address that is not public.';
  expect(outcome).toEqual(failed('address-not-allowed', detail));
  expect(connects.map(({ tried }) => tried)).toEqual([[]]);
});

/** Of a ClientHello (RFC 8446 §4.1.2): after its versions, random bytes and session id, two bytes each. */
const cipherSuitesOf = (hello: Buffer): number[] => {
  const start = 44 + hello.readUInt8(43);
  const length = hello.readUInt16BE(start);
  return Array.from({ length: length / 2 }, (_, i) => hello.readUInt16BE(start + 2 + 2 * i));
};

describe('TLS', () => {
  test('with a trusted certificate of another name: tls-failed, without a request [CONTRACT §15]', async () => {
    trust(CERTIFICATE);
    const receiver = await start(behaviors.ok, { certificate: CERTIFICATE });
    redirectTo = receiver.port;
    for (const url of [receiver.url, named(receiver), 'https://other.test']) {
      expect(await post({ ...MESSAGE, url }, LOCAL)).toEqual(
        failed('tls-failed', 'The certificate is for another name.'),
      );
    }
    expect(receiver.requests).toEqual([]);
  });

  const UNKNOWN_ISSUER = 'The certificate has an issuer that is not trusted, or was sent without its chain.';
  test.each([
    ['self-signed', CERTIFICATE, 'The certificate is self-signed.'],
    ['expired', EXPIRED_CERTIFICATE, 'The certificate has expired.'],
    ['of an unknown issuer', CHAIN, UNKNOWN_ISSUER],
    ['without its chain', CHAIN.split(/(?<=END CERTIFICATE-----\n)/)[0] ?? '', UNKNOWN_ISSUER],
  ])('with a certificate that is %s: tls-failed, without a request [CONTRACT §15]', async (_, certificate, detail) => {
    trust(EXPIRED_CERTIFICATE);
    const receiver = await start(behaviors.ok, { certificate });
    redirectTo = receiver.port;
    expect(await post({ ...MESSAGE, url: 'https://receiver.test' }, LOCAL)).toEqual(failed('tls-failed', detail));
    expect(receiver.requests).toEqual([]);
    await closed(receiver);
  });

  test('with a receiver that renegotiates again and again: tls-failed after the first handshake', async () => {
    trust(CERTIFICATE);
    let renegotiations = 0;
    const renegotiate = (socket: TLSSocket): void => {
      const again = (error: Error | null) => {
        if (error) return;
        renegotiations += 1;
        renegotiate(socket);
      };
      if (!socket.destroyed) socket.renegotiate({}, again);
    };
    const receiver = await start(({ socket }) => renegotiate(socket as TLSSocket), {
      certificate: CERTIFICATE,
      tls: { maxVersion: 'TLSv1.2' },
    });
    redirectTo = receiver.port;
    const outcome = await post({ ...MESSAGE, url: 'https://receiver.test' }, LOCAL);
    expect(outcome).toEqual(failed('tls-failed', 'The TLS connection failed.'));
    await closed(receiver);
    expect([receiver.requests.length, renegotiations]).toEqual([1, 0]);
  });

  test('with a receiver that sends records of a byte: connection-failed after 128 KB, their overhead included', async () => {
    trust(CERTIFICATE);
    let sent = 0;
    const sendNext = (socket: Socket): void => {
      sent += 1;
      if (socket.destroyed) return;
      // Node would send several bytes in a record, if the callback of the last one was not awaited.
      socket.write('a', () => (sent % 100 === 0 ? setImmediate(sendNext, socket) : sendNext(socket)));
    };
    const receiver = await start(
      ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
        sendNext(socket);
      },
      { certificate: CERTIFICATE },
    );
    redirectTo = receiver.port;
    expect(await post({ ...MESSAGE, url: 'https://receiver.test' }, LOCAL)).toEqual(TOO_MUCH);
    await closed(receiver);
    expect(sent).toBeLessThan(32 * 1024);
  });

  test('offers ECDHE, and no DHE, for which the receiver chooses the cost', async () => {
    const hello = Promise.withResolvers<Buffer>();
    const server = createServer((socket) => socket.once('data', hello.resolve).once('data', () => socket.destroy()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    redirectTo = (server.address() as AddressInfo).port;
    const { error } = await post({ ...MESSAGE, url: 'https://receiver.test' }, LOCAL);
    server.close();
    await once(server, 'close');
    const offered = cipherSuitesOf(await hello.promise);
    const [ECDHE, DHE] = [
      [0xc02b, 0xc02c, 0xc02f, 0xc030],
      [0x0033, 0x0039, 0x0067, 0x006b, 0x009e, 0x009f, 0xccaa],
    ];
    expect(error?.code).toBe('connection-failed');
    expect(ECDHE.filter((suite) => !offered.includes(suite))).toEqual([]);
    expect(DHE.filter((suite) => offered.includes(suite))).toEqual([]);
  });

  test('with a receiver of http: tls-failed [CONTRACT §15]', async () => {
    const receiver = await start(behaviors.ok);
    const { error } = await post({ ...MESSAGE, url: receiver.url.replace('http:', 'https:') }, LOCAL);
    expect(error).toEqual({
      code: 'tls-failed',
      detail: 'The TLS connection failed.',
    });
  });
});

describe('the environment', () => {
  test('NODE_USE_ENV_PROXY and NODE_TLS_REJECT_UNAUTHORIZED=0: no effect', async () => {
    const proxy = await start(behaviors.failing);
    const plain = await start(behaviors.ok);
    const selfSigned = await start(behaviors.ok, { certificate: CERTIFICATE });
    const script = `
      import http from 'node:http';
      import https from 'node:https';
      import { post } from '#shared/platform/webhooks/post.ts';
      const statusOf = ({ get }, url, options) =>
        new Promise((done) => get(url, options, (response) => done(response.resume().statusCode)));
      const codeOf = async (url) => {
        const message = { url, headers: {}, body: '' };
        return (await post(message, { allowsLocal: true })).error?.code ?? 'success';
      };
      console.log(JSON.stringify({
        others: [
          await statusOf(http, '${plain.url}', {}),
          await statusOf(https, '${selfSigned.url}', { agent: new https.Agent() }),
        ],
        post: [await codeOf('${plain.url}'), await codeOf('${selfSigned.url}')],
      }));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      env: { NODE_USE_ENV_PROXY: '1', http_proxy: proxy.url, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    expect(JSON.parse(stdout)).toEqual({ others: [500, 200], post: ['success', 'tls-failed'] });
    expect([proxy, plain, selfSigned].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  });
});
