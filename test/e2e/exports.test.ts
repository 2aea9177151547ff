import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { type RunningCommand, run, runToEnd } from '#test/local/command.ts';

let copy: Checkout;
let server: RunningCommand;
let url: string;
let headers: Record<string, string>;

const start = async (): Promise<void> => {
  server = run(copy.root, ['local/start.ts'], { PORT: '0', DATA_DIR: `${copy.root}/data` });
  await server.untilPrinted('curl ');
  [, url = ''] = /^ready (.*)$/m.exec(server.out.stdout) ?? [];
};

beforeAll(async () => {
  copy = await checkout();
  await start();
  const args = ['local/token.ts', '--account', 'acct_1', '--sub', 'user_1', '--role', 'admin'];
  const { stdout } = await runToEnd(copy.root, args, { DATA_DIR: `${copy.root}/data` });
  headers = { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' };
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.end();
  await copy.remove();
});

interface Job {
  readonly id: number;
  readonly status: string;
  readonly row_count: number;
  readonly sha256: string;
}

const post = async (path: string, body: object): Promise<Job> => {
  const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return (await response.json()) as Job;
};

const completed = async ({ id }: Job): Promise<Job> => {
  for (const until = Date.now() + 15_000; Date.now() < until; await sleep(50)) {
    const job = (await (await fetch(`${url}/v1/exports/${id}`, { headers })).json()) as Job;
    if (job.status === 'completed') return job;
  }
  throw new Error(`The export did not complete: ${JSON.stringify(server.out)}`);
};

/** The file at the URL that the API redirects to, without the token. */
const download = async ({ id }: Job): Promise<string> => {
  const sent = await fetch(`${url}/v1/exports/${id}/file`, { headers, redirect: 'manual' });
  expect(sent.status).toBe(303);
  const file = await fetch(sent.headers.get('location') as string);
  expect(file.status).toBe(200);
  return file.text();
};

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const EXPORT = { type: 'customers', format: 'jsonl' };

test('an export: becomes a file without further set-up [CONTRACT §9]', async () => {
  await post('/customers', { name: 'Ann' });
  const job = await completed(await post('/exports', EXPORT));
  const text = await download(job);
  expect([job.row_count, job.sha256]).toEqual([1, digest(text)]);
  expect(JSON.parse(text)).toMatchObject({ name: 'Ann' });
});

test('kill -9: files are still there after a restart, and the next export completes [CONTRACT §1]', async () => {
  const before = await completed(await post('/exports', EXPORT));
  const text = await download(before);
  server.child.kill('SIGKILL');
  await server.end();
  await start();
  expect(await download(before)).toBe(text);
  const next = await completed(await post('/exports', EXPORT));
  expect(await download(next)).toBe(text);
});

test('SIGTERM with nothing to finish: exit code 0 at once', async () => {
  const begun = Date.now();
  server.child.kill('SIGTERM');
  expect(await server.end()).toBe(0);
  expect(Date.now() - begun).toBeLessThan(2900);
  expect(server.out.stderr).not.toMatch(/Error/);
});
