import { afterAll, expect, test } from '@jest/globals';
import { type Behavior, behaviors, respond, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { readEverything } from '#test/support/requests/read-everything.ts';
import { startWebhooks } from '#test/support/service/webhooks.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startWebhooks();
service.checks.documented = true;
afterAll(() => service.stop());

const EVERY_BYTE = Buffer.from(Array.from({ length: 2048 }, (_, i) => i % 256));
const MAX_URL_LENGTH = 2000;

const raw =
  (head: string): Behavior =>
  ({ socket }) =>
    socket.end(Buffer.concat([Buffer.from(head, 'latin1'), EVERY_BYTE]));

const STATUSES = [200, 201, 299, 300, 304, 399, 400, 429, 499, 500, 599, 600, 999];
const { ok, gone, noContent, redirecting, resetting, closing, brokenBody, hugeHeaders, noHttp, oldHttp, upgrading } =
  behaviors;

test.each<[string, readonly Behavior[]]>([
  ['statuses with every byte in the body', STATUSES.map((status) => respond(status, {}, EVERY_BYTE))],
  [
    'broken, closed and refused responses',
    [ok, gone, noContent, redirecting, resetting, closing, brokenBody, hugeHeaders, noHttp, oldHttp, upgrading],
  ],
  [
    'odd status lines and headers',
    [
      raw('HTTP/1.1 200 \xff\xfe\r\nConnection: close\r\n\r\n'),
      raw('HTTP/1.1 500 \r\nX-\xe9: \xff\r\n\r\n'),
      raw('HTTP/1.1 503 a\r\nRetry-After: 99999999999999999999\r\nConnection: close\r\n\r\n'),
      raw('HTTP/1.1 503 a\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nConnection: close\r\n\r\n'),
      raw('HTTP/1.1 1000 a\r\n\r\n'),
      respond(200, {}, '\ud800😀'.repeat(2000)),
      respond(200, {}, '😀'.repeat(4000)),
    ],
  ],
])('receivers with %s: everything can be read [CONTRACT §15]', async (_, receivers) => {
  const account = service.account();
  const running = await Promise.all(receivers.map((behavior) => startReceiver(behavior)));
  for (const { url } of running) {
    const longest = `${url}/`.padEnd(MAX_URL_LENGTH, 'a');
    await account.createEndpoint({ url: longest }, { event_types: ['customer.created'] });
  }
  await account.createCustomer();
  await service.dispatch(account.id);
  await service.drain();
  const deliveries = await account.deliveries();
  expect(deliveries.map(({ attempts }) => attempts)).toEqual(receivers.map(() => 1));
  await readEverything(service, { account: account.id });
  await checkInvariants(service, account.id);
  await Promise.all(running.map(({ close }) => close()));
});
