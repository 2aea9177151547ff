import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { type Client, createClient } from '#client/source/index.ts';
import { startHttpServer } from '#test/client/serve-api.ts';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import { newPage, type ObservedPage, openBrowser, openPage } from './browser.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

let server: RunningServer;
let browser: Browser;
let client: Client<'v1'>;
let receiver: { server: Server; url: string };
let observed: ObservedPage;
let invoice: number;
let endpoint: number;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startServer();
  client = createClient({ baseUrl: server.url, token: server.token });
  receiver = await startHttpServer((_, response) => void response.end('thanks'));
  ({ id: endpoint } = await client.webhookEndpoints.create({ url: receiver.url, event_types: ['customer.created'] }));
  const { id: customer_id } = await client.customers.create({ name: 'Ada Lovelace' });
  const items = [
    { description: 'Analytical engine, one day', quantity: 1.5, unit_amount_cents: 80_000, tax_percent: 20 },
  ];
  ({ id: invoice } = await client.invoices.create({ customer_id, currency: 'GBP', due_date: TOMORROW, items }));
  for (const due_date of ['2026-01-02', '2026-01-01']) await client.invoices.create({ due_date, total_cents: 500 });
  await client.exports.wait((await client.exports.create({ type: 'customers', format: 'csv' })).id);
  observed = await openPage(browser);
});
afterAll(async () => {
  await browser?.close();
  receiver?.server.close();
  await server?.stop();
});
afterEach(() => observed.page.unrouteAll());

/** Opens a view in a new document. */
const open = async (view: string): Promise<void> => {
  const { page } = observed;
  await page.goto('about:blank');
  await page.goto(`${server.url}/docs/explorer${view}`);
  await page.getByText('connected', { exact: true }).waitFor();
};

const section = (name: string): Locator => observed.page.getByRole('region', { name }).first();

const rows = (name: string): Promise<string[]> => section(name).locator('tbody tr').allInnerTexts();

test('the views: show what the client has created, with links from a list to its members', async () => {
  await open('');
  const { page } = observed;
  await page.getByRole('link', { name: String(invoice) }).waitFor();
  expect(await rows('Invoices')).toEqual([
    expect.stringContaining('1 Jan 2026'),
    expect.stringContaining('2 Jan 2026'),
    expect.stringMatching(/£1,440\.00\s+\d+ \w+ \d{4}\s+open\s+Ada Lovelace\s+£1,440\.00$/),
  ]);
  await page.getByRole('link', { name: String(invoice) }).click();
  await section('Events').getByText('invoice.created').waitFor();
  expect(await page.title()).toMatch(new RegExp(`^Invoice ${invoice} \\|`));
  expect(await page.evaluate('document.activeElement.textContent')).toBe(`Invoice ${invoice}`);
  expect(await rows('Lines')).toEqual([
    expect.stringMatching(/^Analytical engine.*1\.5\s+£800\.00.*20\s+£1,200\.00$/s),
  ]);
  expect(await rows('Tax breakdown')).toEqual([expect.stringContaining('£240.00')]);
  await page.getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await page.getByRole('link', { name: String(invoice) }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: `Invoice ${invoice}` }).waitFor();
  expect(await page.title()).toMatch(new RegExp(`^Invoice ${invoice} \\|`));
});

test('the filter “overdue”: the open invoices that were due before today, the earliest first [CONTRACT §4]', async () => {
  await open('');
  await observed.page.getByRole('link', { name: 'Overdue' }).press('Enter');
  await until(async () => (await rows('Invoices')).length === 2);
  await observed.page.locator('a:focus', { hasText: 'Overdue' }).waitFor();
  expect(await section('Invoices').locator('time').allInnerTexts()).toEqual(['1 Jan 2026', '2 Jan 2026']);
});

test('a payment while the invoice is open: the page shows it, its event and the new amount due, and keeps the focus', async () => {
  await open(`#/invoices/${invoice}`);
  const summary = section('Events').locator('summary');
  await summary.focus();
  const { id } = await client.payments.create({ invoice_id: invoice, amount_cents: 44_000, method: 'cash' });
  await section('Payments').getByText(String(id)).waitFor();
  await section('Events').getByText('payment.created').waitFor();
  expect(await section('Events').getByRole('row').last().innerText()).toMatch(/invoice\.updated.*amount_due_cents/s);
  expect(await section('Summary').innerText()).toMatch(/Amount due\s+£1,000\.00/);
  expect(await summary.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
});

test('more than 50 rows: “Load more” adds the others; a change keeps them, and so does going back, which leads to the link that was followed', async () => {
  for (let i = 0; i < 51; i += 1) await client.customers.create({ name: `Customer ${i}` });
  await open('#/customers');
  await until(async () => (await rows('Customers')).length === 50);
  await observed.page.getByRole('button', { name: 'Load more' }).press('Enter');
  await until(async () => (await rows('Customers')).length === 52);
  await observed.page.locator('button:focus', { hasText: 'All rows are loaded' }).waitFor();
  const id = (await client.customers.list()).data[0]?.id as number;
  await client.customers.patch(id, { email: 'ada@example.com' });
  await section('Customers').getByText('ada@example.com').waitFor();
  expect((await rows('Customers')).length).toBe(52);
  await observed.page.getByRole('link', { name: 'Ada Lovelace' }).click();
  await observed.page.locator('h2:focus', { hasText: 'Ada Lovelace' }).waitFor();
  await observed.page.goBack();
  await observed.page.locator('a:focus', { hasText: 'Ada Lovelace' }).waitFor();
  expect((await rows('Customers')).length).toBe(52);
});

test('going back, and the link to the list: restore the place, and the followed one of several links to a customer', async () => {
  const { data } = await client.customers.list({ limit: 1 });
  for (let i = 0; i < 3; i += 1) await client.invoices.create({ customer_id: data[0]?.id as number });
  await open('');
  const { page } = observed;
  const followed = page.getByRole('link', { name: 'Ada Lovelace' }).nth(2);
  await page.setViewportSize({ width: 1280, height: 300 });
  const followAt50 = async (link: Locator) => {
    await link.focus();
    await page.evaluate('scrollTo(0, 50)');
    await page.keyboard.press('Enter');
  };
  await followAt50(followed);
  await page.locator('h2:focus', { hasText: 'Ada Lovelace' }).waitFor();
  await page.goBack();
  await page.locator('a:focus').waitFor();
  expect(await followed.evaluate((link) => link === link.ownerDocument.activeElement)).toBe(true);
  const isRestored = () => until(async () => (await page.evaluate('scrollY')) === 50);
  await isRestored();
  await followAt50(page.getByRole('link', { name: String(invoice) }));
  await page.locator('h2:focus', { hasText: String(invoice) }).waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await page.getByRole('link', { name: '← Invoices' }).press('Enter');
  await page.locator('a:focus', { hasText: String(invoice) }).waitFor();
  await isRestored();
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a list with a filter: the link back from an invoice keeps it; another role keeps the invoice, and another account begins at the list', async () => {
  await open('#/invoices?status=overdue');
  const { page } = observed;
  await page.locator('td a').first().click();
  await page.getByRole('link', { name: '← Invoices' }).click();
  await page.locator('.filters [aria-current=true]', { hasText: 'Overdue' }).waitFor();
  await page.locator('td a:focus').waitFor();
  await page.locator('td a').first().click();
  await section('Events').getByText('invoice.created').waitFor();
  const account = page.getByLabel('Account');
  await account.selectOption('acct_1, viewer');
  await section('Events').getByText('invoice.created').waitFor();
  await page.reload();
  await section('Events').getByText('invoice.created').waitFor();
  expect(await account.inputValue()).toBe('acct_1, viewer');
  await account.press('ArrowDown');
  await section('Invoices').waitFor();
  expect(page.url()).toMatch(/#\/invoices$/);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT');
  await account.selectOption('acct_1, admin');
});

test('a failed delivery: “Retry” is disabled while it is sent, then the row shows the new state [CONTRACT §15]', async () => {
  const { page } = observed;
  // A delivery fails after days. The service also accepts the retry of a succeeded one, which the page gets as failed.
  await page.route('**/v1/webhook-deliveries?*', async (route) => {
    const response = await route.fetch();
    const { data, ...others } = await response.json();
    const failed = data.map((row: object) =>
      'attempts' in row && row.attempts === 1 ? { ...row, status: 'failed' } : row,
    );
    await route.fulfill({ response, json: { data: failed, ...others } });
  });
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  await page.route('**/retry', (route) => allowed.then(() => route.continue()));
  await open(`#/webhooks/${endpoint}`);
  const row = section('Deliveries').locator('tbody tr').last();
  const button = row.getByRole('button', { name: /^Retry/ });
  await button.click();
  await until(() => button.isDisabled());
  allow();
  await row.getByText('succeeded').waitFor();
  expect(await row.innerText()).toMatch(/succeeded\s+2\s+200\s+thanks/);
});

test('an export: “Download” saves its file, whose digest the client has checked [CONTRACT §9]', async () => {
  await open('#/exports');
  const { page } = observed;
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^customers-\d+\.csv$/);
  expect(await readFile(await download.path(), 'utf8')).toContain('Ada Lovelace');
});

test('without offered tokens: the page reports a refused token, and shows the data with another, which it stores nowhere, and keeps when the reader goes back', async () => {
  const { page } = observed;
  await page.route('**/docs/tokens.json', (route) => route.fulfill({ json: [] }));
  await page.goto('about:blank');
  await page.goto(`${server.url}/docs/explorer`);
  const field = page.getByLabel('Access token');
  await field.fill('x');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('refused this token').waitFor();
  await field.fill(server.token);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: String(invoice) }).waitFor();
  await page.getByRole('link', { name: String(invoice) }).click();
  await page.getByRole('heading', { name: `Invoice ${invoice}` }).waitFor();
  await page.goBack();
  await page.getByRole('navigation').getByRole('link', { name: 'Explorer' }).first().click();
  await page.getByRole('link', { name: String(invoice) }).click();
  await page.getByRole('link', { name: '← Invoices' }).click();
  await page.getByRole('link', { name: String(invoice) }).waitFor();
  const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])');
  expect(stored).not.toContain(server.token);
});

test('a token without a scope: its view shows the problem, and the other views their data', async () => {
  const { page } = observed;
  const problem = { code: 'insufficient-scope', title: 'A scope is missing.', detail: 'It needs payments:read.' };
  const contentType = 'application/problem+json';
  await page.route('**/payments?*', (route) =>
    route.fulfill({ status: 403, contentType, body: JSON.stringify(problem) }),
  );
  await open(`#/invoices/${invoice}`);
  await section('Payments').getByText('A scope is missing. It needs payments:read.').waitFor();
  await section('Events').getByText('invoice.created').waitFor();
  await page.unrouteAll();
  await section('Payments').getByText('cash').waitFor();
});

test('an id that does not exist: the problem, which is no lost connection, and a link to the list', async () => {
  await open('#/invoices/12');
  const { page } = observed;
  await section('Summary').getByText('The account has no resource with this ID.').waitFor();
  expect(await page.getByText('not connected').count()).toBe(0);
  await page.getByRole('link', { name: '← Invoices' }).click();
  await page.getByRole('link', { name: String(invoice) }).waitFor();
});

test('without an answer: “not connected”, and the next one continues', async () => {
  await open('');
  const { page } = observed;
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByText('not connected').waitFor();
  await page.unrouteAll();
  await page.getByText('connected', { exact: true }).waitFor();
  const { id } = await client.invoices.create({});
  await page.getByRole('link', { name: String(id) }).waitFor();
});

test('the curl command of a view: its URL returns what the view shows', async () => {
  await open('#/invoices?status=overdue');
  await observed.page.locator('summary').click();
  const command = await observed.page.locator('pre').innerText();
  const [, url = ''] = /^curl -H "Authorization: Bearer \$TOKEN" '([^']+)'$/.exec(command) ?? [];
  const response = await fetch(url, { headers: { authorization: `Bearer ${server.token}` } });
  const { data } = (await response.json()) as { data: readonly { due_date: string }[] };
  expect(data.map(({ due_date }) => due_date)).toEqual(['2026-01-01', '2026-01-02']);
});

test('with the keyboard alone: skips to the content, and from the list to an invoice', async () => {
  await open('#/invoices?status=open');
  const { page } = observed;
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('h2:focus', { hasText: 'Invoices' }).waitFor();
  expect(page.url()).toMatch(/#\/invoices\?status=open$/);
  const link = page.getByRole('link', { name: String(invoice) });
  await link.waitFor();
  const isFocused = () => link.evaluate((element) => element === element.ownerDocument.activeElement);
  while (!(await isFocused())) await page.keyboard.press('Tab');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Invoice ${invoice}` }).waitFor();
});

const VIEWS = ['', '#/invoices/', '#/webhooks/', '#/exports', '#/customers'];

test.each(['light', 'dark'] as const)(
  'each view in %s colors: no finding of axe, and at 390 px nothing is wider than the page',
  async (colorScheme) => {
    const page = await newPage(browser, { colorScheme, viewport: { width: 390, height: 800 } });
    for (const view of VIEWS) {
      const id = { '#/invoices/': invoice, '#/webhooks/': endpoint }[view] ?? '';
      await page.goto('about:blank');
      await page.goto(`${server.url}/docs/explorer${view}${id}`);
      await page.locator('.explorer table').last().waitFor();
      await page.locator('summary').first().click();
      await page.evaluate(AXE);
      const found = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
      );
      expect([view, found]).toEqual([view, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    }
    await page.close();
  },
);

test('the page: requests nothing from another origin but the file, and logs no error', () => {
  const foreign = observed.requests.filter(
    (url) => !/^(data|blob|about):/.test(url) && !url.startsWith(`${server.url}/`),
  );
  expect(foreign.length).toBeGreaterThan(0);
  for (const url of foreign) expect(new URL(url).pathname).toMatch(/^\/exports\/.*\.csv$/);
  expect(observed.errors.filter((error) => !/40[134]|ERR_FAILED/.test(error))).toEqual([]);
});
