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
  // From the same page, another anchor would not load it again.
  await observed.page.goto('about:blank');
  await observed.page.goto(server.url + path);
  // Before, the page ignores clicks on its buttons.
  await until(() => observed.page.evaluate("'__vue_app__' in document.querySelector('#app')"));
  return observed.page;
};

/** The results of the search. Its list is inside an element with the role of a button, which hides their roles. */
const results = (page: Page) => page.locator('#localsearch-list a');

const search = async (page: Page, words: string): Promise<void> => {
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.locator('#localsearch-input').fill(words);
};

/** Compares the text, because braces have a meaning in a pattern. */
const waitForAddress = (page: Page, address: string) => page.waitForURL(({ href }) => href === server.url + address);

const VOID_PAYMENT = '/docs/reference#tag/payments-v1/POST/v1/payments/{payment_id}/void';

test.each([
  ['overdue', 'Overdue invoices and', '/docs/life-of-an-invoice#overdue-invoices-and-today'],
  ['429', '429 Too Many Requests', '/docs/limits#429-too-many-requests'],
  ['signature', 'Verify the signature', '/docs/webhooks#verify-the-signature'],
  ['credit note', 'Credit an invoice', '/docs/payments-and-corrections#credit-an-invoice'],
  ['createPayment', 'Create a payment', '/docs/reference#tag/payments-v1/POST/v1/payments'],
  ['/v1/payments/{payment_id}/void', 'Void a payment', VOID_PAYMENT],
  ['GET /v2/refunds', 'List refunds', '/docs/reference#tag/refunds-v2/GET/v2/refunds'],
  ['paymnet', 'First payment', '/docs/getting-started#first-payment'],
  ['explorer', 'Explorer', '/docs/explorer#/invoices'],
])('a search for “%s”: leads to the section', async (words, heading, address) => {
  const page = await open('/docs/getting-started');
  await search(page, words);
  await results(page).filter({ hasText: heading }).first().click();
  await waitForAddress(page, address);
  await page.getByRole('heading', { name: heading }).first().waitFor();
});

test.each([
  ['how do I pay', 'Payments, refunds and corrections', /^pay/i],
  ['overdue', 'The life of an invoice', /^overdue$/i],
  ['POST /v1/payments', 'Create a payment', /^(post|v1|\$?payments?)$/i],
])(
  'a search for “%s”: the first result is the one to read, and only words that matter are marked',
  async (words, first, marked) => {
    const page = await open('/docs/getting-started');
    await search(page, words);
    await results(page).first().filter({ hasText: first }).waitFor();
    await until(async () => {
      const marks = await results(page).locator('mark').allInnerTexts();
      return marks.length > 0 && marks.every((mark) => marked.test(mark));
    });
  },
);

const waitForOperation = async (page: Page, title: string, version: string): Promise<void> => {
  const heading = page.locator('#reference section').getByRole('heading', { name: title, exact: true }).first();
  await until(async () => {
    const { y } = (await heading.boundingBox()) ?? { y: -1 };
    return y > 0 && y < 400;
  });
  expect(await page.locator('#version').inputValue()).toBe(version);
};

test('a guide names an operation or a problem: a link leads to it', async () => {
  const page = await open('/docs/payments-and-corrections');
  await page.getByRole('link', { name: 'POST /payments/<id>/void' }).click();
  await waitForAddress(page, VOID_PAYMENT);
  await waitForOperation(page, 'Void a payment', 'v1');
  await open('/docs/life-of-an-invoice');
  await page.getByRole('link', { name: 'invalid-transition' }).click();
  await page.waitForURL(`${server.url}/problems/invalid-transition`);
});

test('in the reference: a result of the search shows its operation and version, and back the operation before', async () => {
  const page = await open('/docs/reference#tag/invoices-v2/POST/v2/invoices');
  await waitForOperation(page, 'Create an invoice', 'v2');
  await search(page, 'createPayment');
  await results(page).first().filter({ hasText: 'Create a payment' }).waitFor();
  await page.keyboard.press('Enter');
  await waitForOperation(page, 'Create a payment', 'v1');
  await search(page, 'voidPayment');
  await results(page).filter({ hasText: 'Void a payment' }).first().click();
  await waitForOperation(page, 'Void a payment', 'v1');
  await page.evaluate("location.hash = 'tag/refunds-v2/POST/v2/refunds'");
  await waitForOperation(page, 'Create a refund', 'v2');
  await page.goBack();
  await waitForOperation(page, 'Void a payment', 'v1');
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

test('consecutive blocks in several languages: a tab shows its language in all groups of the page, stays in place and has the focus', async () => {
  const page = await open('/docs/programs');
  const groups = await page.locator('.vp-code-group').count();
  expect(groups).toBeGreaterThan(2);
  const tab = page.getByText('Go', { exact: true }).nth(1);
  await tab.scrollIntoViewIfNeeded();
  const { y } = (await tab.boundingBox()) ?? { y: 0 };
  await tab.click();
  expect(await page.locator('.vp-code-group .language-go:visible').count()).toBe(groups);
  expect(Math.abs(((await tab.boundingBox())?.y ?? 0) - y)).toBeLessThan(2);
  expect(await tab.evaluate((label) => label.previousElementSibling === label.ownerDocument.activeElement)).toBe(true);
});

test('a selected language: other pages show it, also later, from their top, and leave the focus alone', async () => {
  const page = await open('/docs/programs');
  await page.getByText('Go', { exact: true }).first().click();
  await open('/docs/webhooks');
  await page.locator('.language-go:visible').first().waitFor();
  expect(await page.evaluate('[scrollY, document.activeElement.localName]')).toEqual([0, 'body']);
  await open('/docs/programs#overdue-invoices');
  await page.locator('.language-go:visible').first().waitFor();
  const top = () => page.evaluate('document.querySelector("#overdue-invoices").getBoundingClientRect().top');
  await until(async () => Math.abs(Number(await top()) - 110) < 20);
});

test('a search for a problem: leads to its code in the reference, from any page, with a link to its explanation', async () => {
  for (const path of ['/docs/errors', '/docs/reference', '/docs/reference#tag/invoices-v1/POST/v1/invoices']) {
    const page = await open(path);
    await search(page, 'already taken');
    await results(page).first().filter({ hasText: 'already-taken' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('a:focus', { hasText: 'already-taken' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${server.url}/problems/already-taken`);
  }
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

test('the first page after a guide: keeps the address /docs, which can be loaded again', async () => {
  const page = await open('/docs/getting-started');
  await page.getByRole('link', { name: 'Duebook' }).click();
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
  expect(page.url()).toBe(`${server.url}/docs`);
});

test('the page of a problem: has the mark, the colors that the reader chose, and a link to the first page', async () => {
  const page = await open('/docs/errors');
  await page.getByRole('switch').first().click();
  const background = 'getComputedStyle(document.documentElement).backgroundColor';
  await page.goto(`${server.url}/problems/not-found`);
  expect(await page.evaluate(background)).toBe('rgb(27, 27, 31)');
  await page.evaluate('localStorage.clear()');
  expect(await page.evaluate('document.images[0].naturalWidth')).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'Duebook' }).click();
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
});

test('without scripts: the text of a guide and its links', async () => {
  const page = await newPage(browser, { javaScriptEnabled: false });
  await page.goto(`${server.url}/docs/getting-started`);
  expect(await page.locator('main').innerText()).toContain('First payment');
  await page.getByRole('link', { name: 'What it does not do' }).first().click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('What it does not do');
  await page.close();
});

test('Escape in the search: the focus returns to its button', async () => {
  const page = await open('/docs/errors');
  await search(page, 'dry run');
  await page.keyboard.press('Escape');
  await until(async () => Boolean(await page.evaluate("document.activeElement.matches('.DocSearch-Button')")));
});

test('with the keyboard alone: skips to the content, searches, and opens a result', async () => {
  const page = await open('/docs/errors');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate("document.activeElement.matches('main *')")).toBe(true);
  for (const [words, address] of [
    ['verify the signature', '/docs/webhooks#verify-the-signature'],
    ['retries of a delivery', '/docs/webhooks#retries-of-a-delivery'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input:focus').waitFor();
    await page.keyboard.type(words);
    await page.locator(`#localsearch-list > li:first-child a[href="${address}"]`).waitFor();
    await page.keyboard.press('Enter');
    await waitForAddress(page, address);
    await page.locator(':is(h2, h3):focus').waitFor();
  }
});

test.each([
  ['/docs', 'Yours to run'],
  ['/docs/authentication', 'Keycloak'],
  ['/docs/errors', 'What to retry'],
  ['/docs/programs', 'Download an export'],
  ['/docs/reference', '/v1/webhook-endpoints/{webhook_endpoint_id}/rotate-secret'],
  ['/docs/reference#tag/invoices-v1', 'What customers owe'],
  ['/docs/runbook', 'Restore'],
  ['/problems', 'malformed-json'],
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
