import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from '#client/source/index.ts';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { type RunningCommand, run } from '#test/local/command.ts';
import { enginesOf, survivors } from '#test/local/processes.ts';
import { until } from '#test/support/waiting/until.ts';

let copy: Checkout;
let DATA_DIR: string;
let server: RunningCommand;

const start = (): RunningCommand => run(copy.root, ['local/start.ts', '--seed'], { PORT: '0', DATA_DIR });

beforeAll(async () => {
  copy = await checkout();
  DATA_DIR = `${copy.root}/data`;
});
afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.end();
  await copy.remove();
});

/** The four requests that the server prints, as a shell parses them. */
const printedRequests = async (): Promise<{ url: string; init: RequestInit }[]> => {
  const [ready, ...lines] = server.out.stdout.trimEnd().split('\n');
  expect(ready).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
  expect(lines.length).toBe(4);
  const shell = `curl() { printf '%s\\0' "$@"; printf '\\n'; }\n${lines.join('\n')}`;
  const { stdout } = await promisify(execFile)('sh', ['-c', shell]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [url = '', ...args] = line.split('\0');
      const values = (option: string) => args.filter((_, i) => args[i - 1] === option);
      const headers = values('-H').map((header) => header.split(/: (.*)/).slice(0, 2) as [string, string]);
      const [body] = values('-d');
      return { url, init: { headers, ...(body !== undefined && { method: 'POST', body }) } };
    });
};

test('--seed: loads the demo accounts, whose webhooks arrive, resumes after a stop, and says when they exist already [CONTRACT §1]', async () => {
  server = start();
  await server.untilPrinted('Loading the demo accounts', 'stderr');
  const engines = await enginesOf(server.pid);
  expect(engines.length).toBe(1);
  server.child.kill('SIGTERM');
  expect(await server.end()).toBe(0);
  expect(server.out.stdout).toBe('');
  expect(server.out.stderr).not.toContain('are loaded');
  expect(await survivors(engines)).toEqual([]);

  server = start();
  await server.untilPrinted('curl ');
  expect(server.out.stderr).toMatch(/^The demo accounts are loaded\.$/m);
  const [, baseUrl = '', token = ''] = /^ready (\S+)\n.*Bearer ([^']+)'$/m.exec(server.out.stdout) ?? [];
  const { webhookDeliveries } = createClient({ baseUrl, token });
  // The test event, and two of the last invoice: its payment, and its new status.
  await until(async () => (await webhookDeliveries.list({ status: 'succeeded' })).data.length === 3);
  server.child.kill('SIGTERM');
  expect(await server.end()).toBe(0);
  server = start();
  await server.untilPrinted('curl ');
  expect(server.out.stderr).toMatch(/^The demo accounts exist already\.$/m);
});

test('the four printed curl lines, a list, the overdue invoices, an invoice with its customer and its payment: succeed unchanged', async () => {
  const [list, overdue, member, payment] = await printedRequests();
  const send = async (request: { url: string; init: RequestInit } | undefined) => {
    const response = await fetch(request?.url as string, request?.init);
    return [response.status, JSON.parse(await response.text())] as const;
  };
  const [listed, { data }] = await send(list);
  expect(listed).toBe(200);
  expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill('open'));
  const [foundOverdue, { data: due }] = await send(overdue);
  const today = new Date().toISOString().slice(0, 10);
  expect([foundOverdue, due.length]).toEqual([200, 5]);
  expect(due.every(({ due_date }: { due_date: string }) => due_date < today)).toBe(true);
  expect(await send(member)).toEqual([
    200,
    { id: expect.any(Number), status: 'open', amount_due_cents: expect.any(Number), customer: expect.any(Object) },
  ]);
  const [paid, created] = await send(payment);
  expect([paid, created.status]).toEqual([201, 'succeeded']);
  // The line has an Idempotency-Key: pasted again, it replays the payment.
  expect(await send(payment)).toEqual([201, created]);
  expect((await send(member))[1]).toMatchObject({ id: created.invoice_id, status: 'paid', amount_due_cents: 0 });
});
