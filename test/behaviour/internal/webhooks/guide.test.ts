import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type RunningCommand, run } from '#test/local/command.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';

let guide: string;
let directory: string;
let service: Webhooks;
let receiver: RunningCommand | undefined;

[guide, directory, service] = await Promise.all([
  readFile('docs/guides/15-webhooks.md', 'utf8'),
  mkdtemp(join(tmpdir(), 'invoicing-guide-')),
  startWebhooks(),
]);
const account = service.account();
afterEach(() => {
  receiver?.child.kill();
});
afterAll(() => Promise.all([service.stop(), rm(directory, { recursive: true })]));

/** The only block of the guide in a language. */
const codeOf = (language: string): string => {
  const [code, ...more] = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text]) => text,
  );
  expect(more).toEqual([]);
  return code as string;
};

const CLIENT = new URL('../../../../client/source/index.ts', import.meta.url).href;

/** Makes a program print the port at which its server listens. */
const PRINT_PORT = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    this.once('listening', () => console.error('port ' + this.address().port));
    return listen.apply(this, args);
  };
`)}`;

test('the TypeScript of the guide: accepts a delivery, and rejects a request without a signature [CONTRACT §15]', async () => {
  const program = codeOf('ts').replace("'invoicing-client'", `'${CLIENT}'`).replace('8080', '0');
  await writeFile(join(directory, 'receiver.ts'), program);
  const { id, secret } = await account.createEndpoint(
    { url: 'http://127.0.0.1' },
    { event_types: ['customer.created'] },
  );
  receiver = run(directory, ['--import', PRINT_PORT, 'receiver.ts'], { WEBHOOK_SECRET: secret });
  await receiver.untilPrinted(/port \d+\n/, 'stderr');
  const [, port] = /port (\d+)/.exec(receiver.out.stderr) ?? [];
  const url = `http://127.0.0.1:${port}`;
  expect(await account.patchEndpoint(id, { url })).toMatchObject({ url });
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  const customer = await account.createCustomer();
  await service.dispatch(account.id);
  await service.drain();
  await receiver.untilPrinted(new RegExp(`^\\d+ customer.created ${customer}\n$`));
  expect(await account.deliveries()).toMatchObject([{ status: 'succeeded', response_status: 204 }]);
});

/** Reads a case as JSON, and prints the event or the error. */
const HARNESS = `
import sys
case = json.load(sys.stdin)
try:
    print(json.dumps(verify_webhook(case["headers"], case["body"].encode(), case["secrets"])))
except ValueError as error:
    print(error)
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? deepTest : test.skip)(
  'the Python of the guide: agrees with the official library [Standard Webhooks]',
  async () => {
    const [secret, other] = ['b25lIHNlY3JldA==', 'b3RoZXI='].map((key) => `whsec_${key}`) as [string, string];
    const body = '{"id": 1, "actor": "Zoë"}';
    const headersOf = (date: Date, key = secret) => ({
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
      'webhook-signature': `v1,${'A'.repeat(43)}= ${new Webhook(key).sign('evt_1', date, body)}`,
    });
    const verify = async (given: object): Promise<string> => {
      const input = { headers: headersOf(new Date()), body, secrets: [secret], ...given };
      const running = promisify(execFile)('python3', ['-c', codeOf('python') + HARNESS]);
      running.child.stdin?.end(JSON.stringify(input));
      return (await running).stdout.trim();
    };
    expect(JSON.parse(await verify({}))).toEqual(JSON.parse(body));
    expect(JSON.parse(await verify({ secrets: [other, secret] }))).toEqual(JSON.parse(body));
    expect(await verify({ body: `${body} ` })).toBe('No signature fits.');
    expect(await verify({ secrets: [other] })).toBe('No signature fits.');
    const late = headersOf(new Date(Date.now() - 302_000));
    expect(await verify({ headers: late })).toBe('The time of the message differs by more than five minutes.');
  },
);
