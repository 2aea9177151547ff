import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { freePort, type RunningCommand, run } from '#test/local/command.ts';
import { type ObservedPage, openBrowser, openPage } from './browser.ts';

const TIMEOUT_MS = 60_000;
const ROOT = new URL('../../', import.meta.url);

let copy: Checkout;
let server: RunningCommand;
let browser: Browser;
let url: string;
let observed: ObservedPage;

beforeAll(async () => {
  copy = await checkout();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = run(copy.root, ['local/start.ts'], { PORT: String(port), DATA_DIR: ':memory:' });
  await server.untilPrinted('curl ');
  browser = await openBrowser();
  await createInvoice();
  observed = await openPage(browser);
  observed.page.setDefaultTimeout(TIMEOUT_MS / 2);
  await observed.page.goto(`${url}/docs`);
  await observed.page.getByRole('heading', { name: 'Idempotency and retries' }).waitFor();
}, TIMEOUT_MS);
afterAll(async () => {
  await browser?.close();
  server?.child.kill('SIGKILL');
  await server?.end();
  await copy?.remove();
});

/** Creates an invoice of the account whose token the page offers first. */
const createInvoice = async (): Promise<void> => {
  const [{ token }] = (await (await fetch(`${url}/docs/tokens.json`)).json()) as [{ token: string }];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ total_cents: 125_000, currency: 'GBP', description: 'Analytical engine, one day' });
  expect((await fetch(`${url}/v1/invoices`, { method: 'POST', headers, body })).status).toBe(201);
};

/** Written only on demand, because no two screenshots have the same bytes. */
const screenshot = async (name: string): Promise<void> => {
  if (!process.env['SCREENSHOTS']) return;
  const path = new URL(`docs/${name}.png`, ROOT).pathname;
  await observed.page.screenshot({ path, animations: 'disabled' });
  expect(readFileSync(path).length).toBeLessThan(300 * 1024);
};

/** The account of a request’s token. */
const accountOf = (authorization: string | undefined): unknown => {
  const [, payload = ''] = /^Bearer [^.]+\.([^.]+)\./.exec(authorization ?? '') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).account_id;
};

const guides = (): string[] =>
  [...JSON.parse(readFileSync(new URL('docs/openapi.json', ROOT), 'utf8')).info.description.matchAll(/^# (.*)$/gm)].map(
    ([, title]) => title as string,
  );

test(
  'the page: the guides and the reference of both versions',
  async () => {
    const { page } = observed;
    expect(guides().length).toBeGreaterThan(8);
    for (const title of guides()) await page.getByRole('heading', { name: title, exact: true }).first().waitFor();
    for (const version of ['v1', 'v2']) await page.getByText(version, { exact: true }).first().waitFor();
    await screenshot('docs-page');
  },
  TIMEOUT_MS,
);

/** Opens an operation by the search and sends the page’s request. */
const sendRequest = async (title: string, path: string) => {
  const { page } = observed;
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.keyboard.type(title);
  await page.getByRole('option').or(page.getByRole('link')).filter({ hasText: path }).first().click();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  await section
    .getByRole('button', { name: /test request/i })
    .last()
    .click();
  const nextResponse = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: /^send/i }).first().click();
  return nextResponse;
};

test(
  'an operation found by the search: sent with the offered token, and 200',
  async () => {
    const response = await sendRequest('List invoices', '/v1/invoices');
    expect(response.status()).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ total_cents: 125_000 }], has_more: false });
    expect(accountOf(response.request().headers()['authorization'])).toBe('acct_1');
    await observed.page.getByText('200 OK').first().waitFor();
    await screenshot('docs-request');
    await observed.page.keyboard.press('Escape');
  },
  TIMEOUT_MS,
);

test(
  'another account chosen: requests with its token',
  async () => {
    const { page } = observed;
    await page.locator('#token').selectOption({ label: 'acct_2, admin' });
    await page.getByRole('heading', { name: 'Idempotency and retries' }).waitFor();
    const response = await sendRequest('List customers', '/v2/customers');
    expect([response.status(), accountOf(response.request().headers()['authorization'])]).toEqual([200, 'acct_2']);
  },
  TIMEOUT_MS,
);

test('all requests of the page: none to another origin, and no error or warning', () => {
  const foreign = observed.requests.filter((one) => !/^(data|blob):/.test(one) && !one.startsWith(`${url}/`));
  expect(foreign).toEqual([]);
  expect(observed.requests.length).toBeGreaterThan(5);
  expect(observed.errors).toEqual([]);
});
