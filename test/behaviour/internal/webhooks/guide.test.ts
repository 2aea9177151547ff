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

/* A harness reads a case as JSON, and prints the event or the error. */

const PYTHON = `
import sys
case = json.load(sys.stdin)
try:
    print(json.dumps(verify_webhook(case["headers"], case["body"].encode(), case["secrets"])))
except ValueError as error:
    print(error)
`;

const GO = `
package main
import (
	"crypto/hmac"; "crypto/sha256"; "encoding/base64"; "encoding/json"; "errors"; "fmt"
	"net/http"; "os"; "strconv"; "strings"; "time"
)
func main() {
	var given struct {
		Headers map[string]string
		Body    string
		Secrets []string
	}
	json.NewDecoder(os.Stdin).Decode(&given)
	header := http.Header{}
	for name, value := range given.Headers {
		header.Set(name, value)
	}
	event, err := verifyWebhook(header, []byte(given.Body), given.Secrets)
	text, _ := json.Marshal(event)
	if err != nil {
		text = []byte(err.Error())
	}
	fmt.Println(string(text))
}
`;

/** The command that runs the program of a language, and the text of the program. */
const LANGUAGES = {
  python: { command: ['python3'], version: '--version', file: 'verify.py', program: () => codeOf('python') + PYTHON },
  go: { command: ['go', 'run'], version: 'version', file: 'verify.go', program: () => GO + codeOf('go') },
} as const;

for (const [language, { command, version, file, program }] of Object.entries(LANGUAGES)) {
  const [executable, ...args] = command;
  const isInstalled = spawnSync(executable, [version]).status === 0;

  (isInstalled ? deepTest : test.skip)(
    `the ${language} of the guide: agrees with the official library [Standard Webhooks]`,
    async () => {
      const path = join(directory, file);
      await writeFile(path, program());
      const [secret, other] = ['b25lIHNlY3JldA==', 'b3RoZXI='].map((key) => `whsec_${key}`) as [string, string];
      const body = '{"id": 1, "actor": "Zoë"}';
      const headersOf = (date: Date, key = secret) => ({
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
        'webhook-signature': `v1,${'A'.repeat(43)}= ${new Webhook(key).sign('evt_1', date, body)}`,
      });
      const verify = async (given: object): Promise<string> => {
        const input = { headers: headersOf(new Date()), body, secrets: [secret], ...given };
        const running = promisify(execFile)(executable, [...args, path]);
        running.child.stdin?.end(JSON.stringify(input));
        return (await running).stdout.trim();
      };
      expect(JSON.parse(await verify({}))).toEqual(JSON.parse(body));
      expect(JSON.parse(await verify({ secrets: [other, secret] }))).toEqual(JSON.parse(body));
      expect(await verify({ body: `${body} ` })).toMatch(/^no signature fits/i);
      expect(await verify({ secrets: [other] })).toMatch(/^no signature fits/i);
      const late = headersOf(new Date(Date.now() - 302_000));
      expect(await verify({ headers: late })).toMatch(/^the time of the message differs by more than five minutes/i);
      const many = { ...headersOf(new Date()) };
      many['webhook-signature'] = `${'v1,AAAA '.repeat(10)}${many['webhook-signature'].split(' ')[1]}`;
      expect(await verify({ headers: many })).toMatch(/^no signature fits/i);
    },
  );
}
