import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { buildClient } from '#client/build/bundle.ts';
import { startHttpServer } from '#test/client/serve-api.ts';
import { type RunningServer, startServer } from '#test/local/server.ts';
import { until } from '#test/support/waiting/until.ts';
import { newPage, openBrowser } from './browser.ts';

let api: RunningServer;
let site: { server: Server; url: string };
let browser: Browser;
let page: Page;
let directory: string;

/** The site has another origin than the API and serves the client’s package. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'invoicing-client-'));
  buildClient(directory);
  const script = await readFile(join(directory, 'index.js'));
  site = await startHttpServer(({ url }, response) => {
    const isScript = url === '/client.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>A site</title>');
  });
  browser = await openBrowser();
  api = await startServer();
  page = await newPage(browser);
  await page.goto(site.url);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
  site?.server.close();
  await rm(directory, { recursive: true });
});

/** Runs a script in the page, with a client of the API. Its result must be JSON. */
const inPage = (script: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { createClient, InvoicingError } = await import('/client.js');
    const client = createClient({ baseUrl: '${api.url}', token: '${api.token}' });
    ${script}
  })()`);

test('a page of another origin: writes, reads ETags, updates and walks pages', async () => {
  const found = await inPage(`
      const { id } = await client.customers.create({ name: '0' });
      await Promise.all([1, 2, 3].map(() => client.customers.update(id, ({ name }) => ({ name: String(Number(name) + 1) }))));
      const { data, etag } = await client.customers.read(id);
      for (let i = 0; i < 5; i += 1) await client.invoices.create({ total_cents: i });
      const totals = [];
      for await (const { total_cents } of client.invoices.list({ limit: 2 })) totals.push(total_cents);
      const refused = await client.invoices.get(1).catch((error) => [error instanceof InvoicingError, error.code]);
      return { name: data.name, etag, totals, refused };
    `);
  expect(found).toEqual({ name: '3', etag: '"4"', totals: [0, 1, 2, 3, 4], refused: [true, 'not-found'] });
});

test('an invoice that another request has changed: not read from the browser’s cache', async () => {
  const statuses = await inPage(`
      const { id } = await client.invoices.create({ total_cents: 10 });
      const before = await client.invoices.get(id);
      await client.payments.create({ invoice_id: id, amount_cents: 10 });
      return [before.status, (await client.invoices.get(id)).status];
    `);
  expect(statuses).toEqual(['open', 'paid']);
});

test('a redirect to a login page: unexpected-answer, and the browser does not follow it', async () => {
  const requests: string[] = [];
  const proxy = await startHttpServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url}`);
    response.setHeader('access-control-allow-origin', headers.origin ?? '*');
    response.setHeader('access-control-allow-headers', 'authorization, content-type, idempotency-key');
    if (method === 'OPTIONS') return void response.writeHead(204).end();
    if (url === '/login') return void response.setHeader('content-type', 'text/html').end('Sign in');
    response.writeHead(302, { location: '/login' }).end();
  });
  const error = await inPage(`
      const behindProxy = createClient({ baseUrl: '${proxy.url}', token: 'x' });
      const error = await behindProxy.payments.create({ invoice_id: 1, amount_cents: 1 }).catch((reason) => reason);
      return [error.code, error.attempts, error.isUnsure];
    `);
  proxy.server.close();
  expect(error).toEqual(['unexpected-answer', 1, true]);
  expect(requests).toEqual(['OPTIONS /v1/payments', 'POST /v1/payments']);
});

test('an export: the client waits for it, and downloads its file without sending the token to storage [CONTRACT §9]', async () => {
  const sent: [string, boolean][] = [];
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSentExtraInfo', ({ headers }) => {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    sent.push([String(headers[':authority'] ?? headers['Host'] ?? headers['host']), names.includes('authorization')]);
  });
  const lines = await inPage(`
      const { id } = await client.exports.create({ type: 'invoices', format: 'jsonl' });
      await client.exports.wait(id);
      return (await new Response(await client.exports.download(id)).text()).trimEnd().split('\\n').length;
    `);
  expect(lines).toBe(6);
  const { host: apiHost } = new URL(api.url);
  const { host: siteHost } = new URL(site.url);
  const toStorage = () => sent.filter(([host]) => host !== apiHost && host !== siteHost);
  const toApi = () => sent.filter(([host, hasToken]) => host === apiHost && hasToken);
  // The browser reports a request later than the page gets its response.
  await until(() => toStorage().length > 0 && toApi().length > 0);
  expect(toStorage().filter(([, hasToken]) => hasToken)).toEqual([]);
});
