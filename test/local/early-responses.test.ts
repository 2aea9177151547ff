import { afterAll, expect, test } from '@jest/globals';
import { openGateway } from '#local/gateway/gateway.ts';
import { createHandle } from '#local/gateway/handle.ts';
import { openReceiver } from '#local/webhooks/receiver.ts';
import { createSecret } from '#shared/platform/webhooks/signature.ts';
import { startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import { sendSlowly } from './slow-client.ts';

// Everything that listens locally and responds before it has read a request (RFC 9112 §9.6).

const engine = await startTestQueueAndFiles();
const gateway = await openGateway(
  0,
  createHandle(() => ({
    lambda: {
      name: 'probe',
      limits: { seconds: 15, memory_mb: 1024 },
      load: async () => async () => ({ statusCode: 204, headers: {} }),
    },
    routeKey: 'ANY /probe',
    parameters: {},
  })),
);
const receiver = await openReceiver({
  port: 0,
  forward: undefined,
  secret: async () => createSecret(),
  onEvent: () => {},
  onReject: () => {},
});
afterAll(() => Promise.all([engine.stop(), gateway.close(0), receiver.close()]));

const LENGTH = 'Content-Length: 16777217\n\n';
/** A chunk that does not end. */
const CHUNKED = 'Transfer-Encoding: chunked\n\n7000000\n';
const FIRST = 'a';
const TOO_LARGE_FIRST = 'a'.repeat(2 * 1024 * 1024);

const servers = { gateway: gateway.url, receiver: receiver.url, engine: engine.endpoint };
type Server = keyof typeof servers;

const CASES: readonly (readonly [Server, string, string, string, number])[] = [
  ['gateway', 'a body announced as too large', `POST /probe HTTP/1.1\nHost: localhost\n${LENGTH}`, FIRST, 413],
  ['gateway', 'a body of unknown length', `POST /probe HTTP/1.1\nHost: localhost\n${CHUNKED}`, 'a'.repeat(11e6), 413],
  ['gateway', 'another host', `POST /probe HTTP/1.1\nHost: evil.test\n${LENGTH}`, FIRST, 421],
  ['gateway', 'bytes that are not HTTP', 'POST /probe HTTP/1.1\nBad Header: 1\n\n', FIRST, 400],
  ['gateway', 'no host', `POST /probe HTTP/1.1\n${LENGTH}`, FIRST, 400],
  ['gateway', 'an unknown expectation', `POST /probe HTTP/1.1\nHost: localhost\nExpect: tea\n${LENGTH}`, FIRST, 417],
  ['receiver', 'a body announced as too large', `POST / HTTP/1.1\nHost: localhost\n${LENGTH}`, FIRST, 413],
  ['receiver', 'a body of unknown length', `POST / HTTP/1.1\nHost: localhost\n${CHUNKED}`, TOO_LARGE_FIRST, 413],
  [
    'engine',
    'a body announced as too large',
    `PUT /bucket/key HTTP/1.1\nHost: {host}\nAuthorization: a\n${LENGTH}`,
    FIRST,
    413,
  ],
  ['engine', 'another host', `PUT /bucket/key HTTP/1.1\nHost: evil.test\nAuthorization: a\n${LENGTH}`, FIRST, 403],
  [
    'engine',
    'a part without a number',
    `PUT /bucket/key?partNumber=0&uploadId=a HTTP/1.1\nHost: {host}\nAuthorization: a\n${LENGTH}`,
    FIRST,
    400,
  ],
  ['engine', 'bytes that are not HTTP', 'PUT /bucket/key HTTP/1.1\nBad Header: 1\n\n', FIRST, 400],
  ['engine', 'a file without a signature', `PUT /bucket/key HTTP/1.1\nHost: {host}\n${CHUNKED}`, FIRST, 403],
];

test.each(CASES)(
  '%s, %s, sent slowly: the client reads the response, with either kind of connection',
  async (name, _, head, first, status) => {
    const url = servers[name];
    for (const connection of ['close', 'keep-alive']) {
      const sent = head
        .replace('{host}', new URL(url).host)
        .replace(' HTTP/1.1\n', ` HTTP/1.1\nConnection: ${connection}\n`);
      expect(await sendSlowly(url, sent, first)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  },
);
