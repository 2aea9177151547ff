import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import { newPage, type ObservedPage, openBrowser, openPage } from './browser.ts';

let server: RunningServer;
let browser: Browser;
let observed: ObservedPage;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startServer();
  observed = await openPage(browser);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const open = async (path: string): Promise<Page> => {
  await observed.page.goto(server.url + path);
  // Before, the page ignores clicks on its buttons.
  await until(() => observed.page.evaluate("'__vue_app__' in document.querySelector('#app')"));
  return observed.page;
};

/** The results of the search. Its list is inside an element with the role of a button, which hides their roles. */
const results = (page: Page) => page.locator('#localsearch-list a');

test.each([
  ['overdue', 'Overdue invoices and', '/docs/life-of-an-invoice#overdue-invoices-and-today'],
  ['429', '429 Too Many Requests', '/docs/limits#429-too-many-requests'],
  ['signature', 'Verify the signature', '/docs/webhooks#verify-the-signature'],
  ['credit note', 'Credit an invoice', '/docs/payments-and-corrections#credit-an-invoice'],
])('a search for “%s”: leads to the section', async (words, heading, address) => {
  const page = await open('/docs/getting-started');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('#localsearch-input').fill(words);
  await results(page).filter({ hasText: heading }).first().click();
  await page.waitForURL(server.url + address);
  await page.getByRole('heading', { name: heading }).first().waitFor();
});

test('a link to a section: opens the page at its heading', async () => {
  const page = await open('/docs/errors#what-to-retry');
  const heading = page.getByRole('heading', { name: 'What to retry' });
  await heading.waitFor();
  const { y } = (await heading.boundingBox()) ?? { y: -1 };
  expect(y).toBeGreaterThan(0);
  expect(y).toBeLessThan(200);
});

test('the examples: have the address of this service', async () => {
  const page = await open('/docs/getting-started');
  await page.getByText(`API=${server.url}`).waitFor();
  expect(await page.locator('main').innerText()).not.toContain('127.0.0.1:3000');
});

test('consecutive blocks in several languages: a tab shows the block of its language', async () => {
  const page = await open('/docs/webhooks');
  const blocks = page.locator('.vp-code-group pre:visible');
  expect(await blocks.allInnerTexts()).toEqual([expect.stringContaining('def verify_webhook')]);
  await page.getByText('Go', { exact: true }).click();
  expect(await blocks.allInnerTexts()).toEqual([expect.stringContaining('func verifyWebhook')]);
});

test('links of the sidebar: every page opens, and back leads to the page before', async () => {
  const page = await open('/docs');
  await page.getByRole('link', { name: 'Getting started' }).first().click();
  const links = page.locator('aside.VPSidebar').getByRole('link');
  const titles = await links.allInnerTexts();
  expect(titles.length).toBeGreaterThan(20);
  for (const title of titles) {
    await links.filter({ hasText: title }).first().click();
    await page.getByRole('heading', { level: 1 }).getByText(title.slice(0, 12)).waitFor();
  }
  await page.goBack();
  await page.waitForURL(/scaling$/);
});

test('the first page: links lead to the guides, the reference, the explorer and the documents for programs', async () => {
  const page = await open('/docs');
  const targets = await page.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  for (const target of new Set(targets)) {
    const { status } = await fetch(new URL(target as string, server.url));
    expect([target, status]).toEqual([target, 200]);
  }
  for (const target of ['/openapi.json', '/llms.txt', '/docs/changelog.txt', '/problems', '/docs/explorer'])
    expect(targets).toContain(target);
});

test('without scripts: the text of a guide and its links', async () => {
  const page = await newPage(browser, { javaScriptEnabled: false });
  await page.goto(`${server.url}/docs/getting-started`);
  expect(await page.locator('main').innerText()).toContain('First payment');
  await page.getByRole('link', { name: 'What it does not do' }).first().click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('What it does not do');
  await page.close();
});

test('with the keyboard alone: skips to the content, searches, and opens a result', async () => {
  const page = await open('/docs/errors');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Control+k');
  await page.locator('#localsearch-input:focus').waitFor();
  await page.keyboard.type('dry run');
  await results(page).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/dry-runs/);
});

test.each([
  ['/docs', 'Yours to run'],
  ['/docs/errors', 'What to retry'],
  ['/docs/programs', 'Download an export'],
  ['/docs/reference', '/v1/invoices/{invoice_id}/payments/{payment_id}'],
  ['/docs/runbook', 'Restore'],
])('%s, 390 pixels wide: nothing overflows', async (path, text) => {
  const page = await newPage(browser, { viewport: { width: 390, height: 844 } });
  await page.goto(server.url + path);
  await page.getByText(text).first().waitFor({ state: 'attached' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.close();
});

test('a guide: at most 100 KB until its text is visible', async () => {
  const bytesOf = async (path: string): Promise<number> => {
    const response = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip' } });
    await response.arrayBuffer();
    return Number(response.headers.get('content-length'));
  };
  const page = await fetch(`${server.url}/docs/webhooks`).then((response) => response.text());
  const styles = [...page.matchAll(/rel="preload stylesheet" href="([^"]*)"/g)].map(([, path]) => path as string);
  expect(styles.length).toBeGreaterThan(0);
  const bytes = await Promise.all(['/docs/webhooks', ...styles].map(bytesOf));
  expect(Math.min(...bytes)).toBeGreaterThan(0);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(100_000);
});

test('all pages above: no request to another origin, no error and no warning', () => {
  expect(observed.requests.filter((request) => !request.startsWith(`${server.url}/`))).toEqual([]);
  expect(observed.errors).toEqual([]);
});
