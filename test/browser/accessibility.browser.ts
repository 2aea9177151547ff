import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import { newPage, openBrowser } from './browser.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Findings in the markup of @scalar/api-reference and of VitePress's search, which the site cannot change. */
const IGNORED = {
  '#reference': ['button-name', 'label-content-name-mismatch', 'landmark-unique', 'nested-interactive'],
  '#local-search': ['label-content-name-mismatch'],
};

let server: RunningServer;
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startServer();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** The findings of axe: rule, element and reason. */
const findings = async (path: string, heading: string, colorScheme: 'light' | 'dark'): Promise<string[]> => {
  const page = await newPage(browser, { colorScheme });
  await page.goto(server.url + path);
  await page.getByRole('heading', { name: heading }).first().waitFor();
  // The page looks at the sizes of new elements after a frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.evaluate(AXE);
  const found = await page.evaluate(`(async () => {
    const { violations } = await axe.run();
    const isIgnored = (id, selector) =>
      Object.entries(${JSON.stringify(IGNORED)}).some(
        ([root, ids]) => ids.includes(id) && document.querySelector(root + ' ' + selector),
      );
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .filter(({ target }) => !isIgnored(id, target.at(-1)))
        .map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary),
    );
  })()`);
  await page.close();
  return found as string[];
};

const PAGES = [
  ['/docs', 'Duebook'],
  ['/docs/getting-started', 'Getting started'],
  ['/docs/errors', 'Errors'],
  ['/docs/webhooks', 'Webhooks'],
  ['/docs/runbook', 'Runbook'],
  ['/docs/reference', 'Reference'],
  ['/docs/reference#description/introduction', 'Duebook'],
  ['/docs/reference#tag/invoices-v1/PATCH/v1/invoices/{invoice_id}', 'Update an invoice'],
  ['/problems', 'Problems'],
  ['/problems/not-found', 'The resource does not exist.'],
] as const;

test.each(
  PAGES.flatMap(([path, heading]) => (['light', 'dark'] as const).map((scheme) => [path, scheme, heading] as const)),
)(
  '%s in %s colors: no finding of axe (WCAG 2.1 AA and best practices), except in the markup of others',
  async (path, scheme, heading) => {
    expect(await findings(path, heading, scheme)).toEqual([]);
  },
);

test('code wider than its box: takes the focus, and the arrow keys scroll it [WCAG 2.1, 2.1.1]', async () => {
  const page = await newPage(browser, { viewport: { width: 600, height: 800 } });
  await page.goto(`${server.url}/docs/programs`);
  await page.locator('pre').first().focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => Boolean(await page.evaluate('document.activeElement.scrollLeft > 0')));
  await page.close();
});
