import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core';
import { until } from '#test/support/waiting/until.ts';

/** The path of Debian’s package; `CHROMIUM` names another program. */
const EXECUTABLE = process.env['CHROMIUM'] || '/usr/bin/chromium';

/** Switches off the browser’s own requests. */
const QUIET = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** @throws Error when the browser is not installed */
export const openBrowser = async (): Promise<Browser> => {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(`${EXECUTABLE} is not installed. Run apt-get install chromium, or set CHROMIUM to another path.`);
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: QUIET, timeout: 0 });
};

/** A page with its requests, and its errors and warnings. */
export interface ObservedPage {
  readonly page: Page;
  readonly requests: string[];
  readonly errors: string[];
}

/** Counts the requests of the page whose response is not read yet. */
const COUNT_READS = `
  globalThis.unread = 0;
  const counted = (work) => function (...args) {
    globalThis.unread += 1;
    return work.apply(this, args).finally(() => (globalThis.unread -= 1));
  };
  globalThis.fetch = counted(fetch);
  for (const name of ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text'])
    Response.prototype[name] = counted(Response.prototype[name]);
`;

/** A page without deadlines of its own: only the tests have deadlines. */
export const newPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(0);
  return page;
};

export const openPage = async (browser: Browser): Promise<ObservedPage> => {
  const page = await newPage(browser, { viewport: { width: 1280, height: 800 } });
  const requests: string[] = [];
  const errors: string[] = [];
  await page.addInitScript(COUNT_READS);
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  return { page, requests, errors };
};

/** Opens the reference at its introduction and waits until it is visible. */
export const openReference = async (page: Page, url: string): Promise<void> => {
  await page.goto(`${url}/docs/reference#description/introduction`);
  await page.getByRole('heading', { name: 'Duebook' }).waitFor();
};

/**
 * Opens the request of an operation of the reference, by its search.
 * @param id a member that its example names, once the page has filled it in
 */
export const openOperation = async (page: Page, title: string, path: string, id?: number): Promise<void> => {
  await page
    .locator('#reference')
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.keyboard.type(title);
  await page.getByRole('option').or(page.getByRole('link')).filter({ hasText: path }).first().click();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  if (id !== undefined) await section.getByText(String(id)).first().waitFor({ state: 'attached' });
  await section
    .getByRole('button', { name: /test request/i })
    .last()
    .click();
};

/** The lists that the page requests to fill in its examples. */
const OF_THE_PAGE = /\?sort=-id&limit=100&/;

/** Sends the opened request; returns the first response that the page did not follow further. */
export const sendOpened = async (page: Page): Promise<Response> => {
  const next = page.waitForResponse((response) => response.status() !== 303 && !OF_THE_PAGE.test(response.url()));
  await page.getByRole('button', { name: /^send/i }).first().click();
  return next;
};

/** Closes the opened request, if a request is open. The reference logs an error if its response is not read yet. */
export const closeOpened = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog');
  if (!(await dialog.isVisible())) return;
  await until(async () => (await page.evaluate('unread')) === 0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
};
