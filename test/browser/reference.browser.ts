import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page, Response } from 'playwright-core';
import { createClient } from '#client/source/index.ts';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import {
  closeOpened,
  newPage,
  type ObservedPage,
  openBrowser,
  openOperation,
  openPage,
  openReference,
  sendOpened,
} from './browser.ts';

let server: RunningServer;
let browser: Browser;
let observed: ObservedPage;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startServer();
  await createData();
  observed = await openPage(browser);
  await openReference(observed.page, server.url);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(() => closeOpened(observed.page));

let invoice: number;

/** Creates two invoices and an export, in the account whose token the page offers first. */
const createData = async (): Promise<void> => {
  const client = createClient({ baseUrl: server.url, token: server.token });
  const description = 'Analytical engine, one day';
  ({ id: invoice } = await client.invoices.create({ total_cents: 125_000, currency: 'GBP', description }));
  await client.invoices.create({ total_cents: 10 });
  const { id } = await client.exports.create({ type: 'invoices', format: 'csv' });
  await client.exports.wait(id);
};

/** The account of a request’s token. */
const accountOf = (authorization: string | undefined): unknown => {
  const [, payload = ''] = /^Bearer [^.]+\.([^.]+)\./.exec(authorization ?? '') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).account_id;
};

test('the page: has the address of this service', async () => {
  const { page } = observed;
  const text = await page.locator('#reference').innerText();
  expect(text).toContain(server.url);
  expect(text).not.toContain('127.0.0.1:3000');
});

const sendRequest = async (title: string, path: string): Promise<Response> => {
  await openOperation(observed.page, title, path);
  return sendOpened(observed.page);
};

const keyOf = (response: Response): string | undefined => response.request().headers()['idempotency-key'];

/** The key of the payment test. */
let usedKey: string | undefined;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('a request of an operation that the search finds: 200 with the offered token', async () => {
  const response = await sendRequest('List invoices', '/v1/invoices');
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject({
    data: [{ total_cents: 125_000 }, { total_cents: 10 }],
    has_more: false,
  });
  expect(accountOf(response.request().headers()['authorization'])).toBe('acct_1');
  await observed.page.getByText('200 OK').first().waitFor();
});

test('a payment as the page fills it in: 201 for the invoice with the largest amount due; again: a replay; another amount: 201 [§4]', async () => {
  await openOperation(observed.page, 'Create a payment', '/v1/payments');
  const [first, again] = [await sendOpened(observed.page), await sendOpened(observed.page)];
  expect([first.status(), (await first.json()).invoice_id]).toEqual([201, invoice]);
  usedKey = keyOf(first);
  expect(usedKey).toMatch(UUID);
  expect([keyOf(again), again.headers()['idempotent-replayed']]).toEqual([usedKey, 'true']);

  const { page } = observed;
  await page.getByRole('dialog').locator('.cm-content').filter({ hasText: 'amount_cents' }).first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify({ invoice_id: invoice, amount_cents: 7 }));
  await page.getByText('"amount_cents": 7').or(page.getByText('"amount_cents":7')).first().waitFor();
  const other = await sendOpened(observed.page);
  expect([other.status(), (await other.json()).amount_cents]).toEqual([201, 7]);
  expect(keyOf(other)).toMatch(UUID);
});

test('the file of an export: downloaded without the token from storage, which has another origin', async () => {
  const response = await sendRequest("Download an export's file", '/v1/exports/{export_id}/file');
  expect(new URL(response.url()).origin).not.toBe(server.url);
  expect((await response.request().allHeaders())['authorization']).toBeUndefined();
  expect(await response.text()).toContain('Analytical engine');
  await observed.page.getByText('Analytical engine, one day').first().waitFor();
});

test('a reload of the page: the example gets another idempotency key', async () => {
  const { page } = observed;
  await page.goto(`${server.url}/docs/reference#tag/payments-v1/POST/v1/payments`);
  await page.reload();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Create a payment' }) });
  let key = '';
  await until(async () => {
    [, key = ''] = /Idempotency-Key: (\S+)'/.exec((await section.first().textContent()) ?? '') ?? [];
    return key !== '';
  });
  expect(key).toMatch(UUID);
  expect(key).not.toBe(usedKey);
});

test('in an operation, a visitor selects v2 and another account: v2 also after a reload, and requests have its token', async () => {
  const { page } = observed;
  await page.locator('#version').selectOption('v2');
  await page.waitForURL(/#tag\/payments-v2\/POST\/v2\/payments$/);
  await page.locator('#reference').getByText('/v2/payments').first().waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Create a payment', exact: true }).first().waitFor();
  const shown = await page.locator('#reference > *').first().elementHandle();
  await page.locator('#token').selectOption({ label: 'acct_2, admin' });
  await shown?.waitForElementState('hidden');
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
  const response = await sendRequest('List customers', '/v2/customers');
  expect([response.status(), accountOf(response.request().headers()['authorization'])]).toEqual([200, 'acct_2']);
});

test('the page: requests only the file from another origin, and logs no error or warning', () => {
  const foreign = observed.requests.filter((one) => !/^(data|blob):/.test(one) && !one.startsWith(`${server.url}/`));
  expect(foreign.map((one) => new URL(one).pathname)).toEqual([expect.stringMatching(/^\/exports\/acct_1\/.*\.csv$/)]);
  expect(observed.requests.length).toBeGreaterThan(5);
  expect(observed.errors).toEqual([]);
});

test('requests of v2 as the page fills them in: succeed, with the currency and at most the amount of the account’s invoice or payment', async () => {
  const client = createClient({ baseUrl: server.url, token: server.token });
  const { id: invoice_id } = await client.invoices.create({ total_cents: 900_000, currency: 'CHF' });
  await client.payments.create({ invoice_id, amount_cents: 600_000, method: 'cash' });
  await client.customers.create({ name: 'Ada Lovelace' });
  const item = { description: 'Programming', quantity: 2, unit_amount_cents: 5000 };
  for (const items of [[], [item]]) await client.invoices.create({ status: 'draft', currency: 'EUR', items });
  const { page } = await openPage(browser);
  await page.goto(`${server.url}/docs/reference#tag/payments-v2/POST/v2/payments`);
  await page.locator('#reference').getByText('/v2/payments').first().waitFor();
  for (const [title, path, amount] of [
    ['Create a payment', '/v2/payments', { amount: 50_000, currency: 'CHF' }],
    ['Create a refund', '/v2/refunds', { amount: 20_000, currency: 'CHF' }],
    ['Create a credit note', '/v2/credit-notes', { amount: 30_000, currency: 'CHF' }],
    ['Create an invoice item', '/v2/invoice-items', { amount: 100_000, currency: 'EUR' }],
    ['Replace an invoice', '/v2/invoices/{invoice_id}', undefined],
  ] as const) {
    await openOperation(page, title, path);
    const response = await sendOpened(page);
    const body = await response.json();
    expect([title, response.ok() || body, body.amount]).toEqual([title, true, amount]);
    await closeOpened(page);
  }
  await page.close();
});

test('a link to an operation of v2: opens v2 at the operation', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}/docs/reference#tag/invoices-v2/POST/v2/invoices`);
  await page.getByRole('heading', { name: 'Create an invoice' }).first().waitFor();
  await page.getByText('/v2/invoices').first().waitFor();
  expect(await page.locator('#version').inputValue()).toBe('v2');
  await page.close();
});

const { paths } = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

/** The method, path and summary of each operation that a version has. */
const operationsOf = (version: string): string[] =>
  Object.entries<Record<string, { summary: string }>>(paths)
    .filter(([path]) => path.startsWith(`/${version}/`) || !/^\/v\d\//.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary }]) => `${method.toUpperCase()} ${summary} ${path}`),
    );

const rowsOf = async (page: Page): Promise<string[]> => {
  const rows = await page.locator('.reference-index section li').allInnerTexts();
  return rows.map((row) => row.replaceAll(/\s+/g, ' '));
};

test('without scripts: the index has every operation of v1, and links to pages that need no script', async () => {
  const page = await newPage(browser, { javaScriptEnabled: false });
  await page.goto(`${server.url}/docs/reference`);
  expect(await rowsOf(page)).toEqual(operationsOf('v1'));
  await page.getByRole('link', { name: 'amount-exceeds-due' }).click();
  expect(new URL(page.url()).pathname).toBe('/problems/amount-exceeds-due');
  await page.close();
});

test('the index: selects v2 for a reload too, fetches Scalar for a reader, and loads it once, for an operation; back leads to its link, and a link to the index', async () => {
  const { page, requests } = await openPage(browser);
  await page.goto(`${server.url}/docs/reference`);
  await page.locator('#version').selectOption('v2');
  await page.reload();
  await page.getByText('/v2/webhook-deliveries', { exact: true }).waitFor();
  expect(await rowsOf(page)).toEqual(operationsOf('v2'));
  const isFetched = async () => requests.some((one) => one.includes('/standalone.'));
  expect(await isFetched()).toBe(false);
  await page.getByRole('link', { name: 'Webhook deliveries', exact: true }).click();
  await page.locator('h2:focus', { hasText: 'Webhook deliveries' }).waitFor();
  await until(isFetched);
  await page.reload();
  await page.locator('h2:focus', { hasText: 'Webhook deliveries' }).waitFor();
  expect(await page.evaluate('typeof Scalar')).toBe('undefined');

  const operation = page.locator('#reference').getByRole('heading', { name: 'Void a payment', exact: true });
  const link = page.getByRole('main').getByRole('link', { name: 'Void a payment' });
  await link.click();
  await operation.waitFor();
  expect(await page.title()).toBe('Void a payment | Reference | Duebook');
  await page.goBack();
  await until(async () => (await page.evaluate('document.activeElement.textContent')) === 'Void a payment');
  await link.click();
  await operation.waitFor();
  await page.getByRole('link', { name: 'All operations' }).click();
  await link.waitFor();
  expect(await operation.isVisible()).toBe(false);
  expect(await page.locator('#version').inputValue()).toBe('v2');
  expect(requests.filter((one) => one.includes('/openapi-'))).toHaveLength(1);
  await page.close();
});

test('each link of the index: leads to an operation; the first of a tag opens at its heading', async () => {
  const page = await newPage(browser);
  await page.goto(`${server.url}/docs/reference`);
  for (const tag of await page.locator('.reference-index section').all()) {
    const links = tag.locator('a');
    const anchors = await links.evaluateAll((elements) => elements.map((element) => element.getAttribute('href')));
    const [title = ''] = await links.allTextContents();
    await links.first().dispatchEvent('click');
    const [first, ...others] = anchors.map((anchor) => page.locator(`[id="api-1/${anchor?.slice(1)}"]`));
    await first?.getByRole('heading', { name: title, exact: true }).waitFor();
    for (const other of others) await other.waitFor({ state: 'attached' });
  }
  await page.close();
});

test('while an operation loads: the text “Loading”', async () => {
  const page = await newPage(browser);
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
  await page.route(/standalone\.[\w-]+\.js$/, (route) => loaded.then(() => route.continue()));
  await page.goto(`${server.url}/docs/reference#description/introduction`, { waitUntil: 'commit' });
  await page.getByText('Loading').waitFor();
  load();
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
  expect(await page.getByText('Loading').count()).toBe(0);
  await page.close();
});
