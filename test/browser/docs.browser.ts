import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { freePort, type RunningCommand, run } from '#test/local/command.ts';
import { openBrowser, openPage, type Watched } from './browser.ts';

const PATIENCE_MS = 60_000;
const ROOT = new URL('../../', import.meta.url);

let copy: Checkout;
let server: RunningCommand;
let browser: Browser;
let url: string;
let watched: Watched;

beforeAll(async () => {
  copy = await checkout();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = run(copy.root, ['local/start.ts'], { PORT: String(port), DATA_DIR: ':memory:' });
  await server.untilPrinted('curl ');
  browser = await openBrowser();
  await invoice();
  watched = await openPage(browser);
  watched.page.setDefaultTimeout(PATIENCE_MS / 2);
  await watched.page.goto(`${url}/docs`);
  await watched.page.getByRole('heading', { name: 'Idempotency and retries' }).waitFor();
}, PATIENCE_MS);
afterAll(async () => {
  await browser?.close();
  server?.child.kill('SIGKILL');
  await server?.end();
  await copy?.remove();
});

/** Something to find: an invoice of the account whose token is offered first. */
const invoice = async (): Promise<void> => {
  const [{ token }] = (await (await fetch(`${url}/docs/tokens.json`)).json()) as [{ token: string }];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ total_cents: 125_000, currency: 'GBP', description: 'Analytical engine, one day' });
  expect((await fetch(`${url}/v1/invoices`, { method: 'POST', headers, body })).status).toBe(201);
};

/** Pictures are made again on demand alone: no two are the same byte for byte. */
const picture = async (name: string): Promise<void> => {
  if (!process.env['SCREENSHOTS']) return;
  const path = new URL(`docs/${name}.png`, ROOT).pathname;
  await watched.page.screenshot({ path, animations: 'disabled' });
  expect(readFileSync(path).length).toBeLessThan(300 * 1024);
};

/** Who the token of a request that the page has sent is for. */
const accountOf = (authorization: string | undefined): unknown => {
  const [, payload = ''] = /^Bearer [^.]+\.([^.]+)\./.exec(authorization ?? '') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).account_id;
};

const guides = (): string[] =>
  [...JSON.parse(readFileSync(new URL('docs/openapi.json', ROOT), 'utf8')).info.description.matchAll(/^# (.*)$/gm)].map(
    ([, title]) => title as string,
  );

test(
  'the guides stand next to the reference of both versions',
  async () => {
    const { page } = watched;
    expect(guides().length).toBeGreaterThan(8);
    for (const title of guides()) await page.getByRole('heading', { name: title, exact: true }).first().waitFor();
    for (const version of ['v1', 'v2']) await page.getByText(version, { exact: true }).first().waitFor();
    await picture('docs-page');
  },
  PATIENCE_MS,
);

/** Opens an operation by the search, and sends it as the page has filled it in. */
const sent = async (title: string, path: string) => {
  const { page } = watched;
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
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: /^send/i }).first().click();
  return answered;
};

test(
  'an operation is found, tried with a token that is there already, and answers 200',
  async () => {
    const response = await sent('List invoices', '/v1/invoices');
    expect(response.status()).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ total_cents: 125_000 }], has_more: false });
    expect(accountOf(response.request().headers()['authorization'])).toBe('acct_1');
    await watched.page.getByText('200 OK').first().waitFor();
    await picture('docs-request');
    await watched.page.keyboard.press('Escape');
  },
  PATIENCE_MS,
);

test(
  'another account is one choice away',
  async () => {
    const { page } = watched;
    await page.locator('#token').selectOption({ label: 'acct_2, admin' });
    await page.getByRole('heading', { name: 'Idempotency and retries' }).waitFor();
    const response = await sent('List customers', '/v2/customers');
    expect([response.status(), accountOf(response.request().headers()['authorization'])]).toEqual([200, 'acct_2']);
  },
  PATIENCE_MS,
);

test('nothing was asked of anybody else, and nothing complained of', () => {
  const foreign = watched.requests.filter((one) => !/^(data|blob):/.test(one) && !one.startsWith(`${url}/`));
  expect(foreign).toEqual([]);
  expect(watched.requests.length).toBeGreaterThan(5);
  expect(watched.errors).toEqual([]);
});
