import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Client, createClient } from '#client/source/index.ts';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { newPage, openBrowser } from './browser.ts';

/** Written only on demand, because no two pictures have the same bytes. */
const DIRECTORY = process.env['SCREENSHOTS'] ? fileURLToPath(new URL('../../docs/pictures/', import.meta.url)) : '';

let server: RunningServer;
let browser: Browser;
let client: Client<'v1'>;

beforeAll(async () => {
  if (DIRECTORY) mkdirSync(DIRECTORY, { recursive: true });
  browser = await openBrowser();
  server = await startServer([], {}, ['--seed']);
  client = createClient({ baseUrl: server.url, token: server.token });
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const search = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('#localsearch-input').fill('overdue');
};

const newestPaid = async (): Promise<string> => {
  const { data } = await client.invoices.list({ status: 'paid', sort: '-id', limit: 1 });
  return `/docs/explorer#/invoices/${data[0]?.id}`;
};

/** Each page, a text that shows that it is complete, and what happens before. */
const PAGES: readonly (readonly [
  name: string,
  path: string | typeof newestPaid,
  text: string,
  prepare?: typeof search,
])[] = [
  ['home', '/docs', 'Yours to run'],
  ['guide', '/docs/life-of-an-invoice', 'A POST creates an open invoice'],
  ['search', '/docs/getting-started', 'Overdue invoices and', search],
  ['reference', '/docs/reference', 'Number series'],
  ['operation', '/docs/reference#tag/payments-v1/POST/v1/payments', 'Test Request'],
  ['invoices', '/docs/explorer#/invoices?status=overdue', 'days overdue'],
  ['invoice', newestPaid, 'invoice.paid'],
  ['exports', '/docs/explorer#/exports', 'completed'],
];

test.each(PAGES.flatMap((page) => (['light', 'dark'] as const).map((colors) => [page[0], colors, page] as const)))(
  'the picture “%s” in %s colors, with the demo data: complete',
  async (name, colorScheme, [, path, text, prepare]) => {
    const page = await newPage(browser, { viewport: { width: 1120, height: 700 }, colorScheme });
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(server.url + (typeof path === 'string' ? path : await path()), { waitUntil: 'networkidle' });
    await prepare?.(page);
    await page.getByText(text).first().waitFor();
    expect(errors).toEqual([]);
    const options = { animations: 'disabled' } as const;
    if (DIRECTORY) await page.screenshot({ path: `${DIRECTORY}${name}-${colorScheme}.png`, ...options });
    await page.close();
  },
);
