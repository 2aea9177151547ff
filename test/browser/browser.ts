import { accessSync, constants } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Debian's package puts it; any other Chromium by `CHROMIUM`. */
const EXECUTABLE = process.env['CHROMIUM'] || '/usr/bin/chromium';

/** What would have the browser ask for things by itself. */
const QUIET = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** @throws Error when there is none */
export const openBrowser = async (): Promise<Browser> => {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(`There is no ${EXECUTABLE}: apt-get install chromium, or set CHROMIUM to another one.`);
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: QUIET });
};

/** A page, and what it has asked for and complained of. */
export interface Watched {
  readonly page: Page;
  readonly requests: string[];
  readonly errors: string[];
}

/** Opens a page and watches what it does. */
export const openPage = async (browser: Browser): Promise<Watched> => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  return { page, requests, errors };
};
