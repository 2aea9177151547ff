import { accessSync, constants } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The path of Debian’s package; `CHROMIUM` names another. */
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
  return chromium.launch({ executablePath: EXECUTABLE, args: QUIET });
};

/** A page with its requests, and its errors and warnings. */
export interface ObservedPage {
  readonly page: Page;
  readonly requests: string[];
  readonly errors: string[];
}

export const openPage = async (browser: Browser): Promise<ObservedPage> => {
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
