import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Client, createClient } from '#client/source/index.ts';
import { type RunningServer, startServer } from '#test/local/server.ts';
import {
  closeOpened,
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
let client: Client<'v1'>;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startServer();
  client = createClient({ baseUrl: server.url, token: server.token });
  observed = await openPage(browser);
  await openReference(observed.page, server.url);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Sends a request of the page as it is filled in, with the id of this member, and returns its status and body. */
const send = async (title: string, path: string, id?: number) => {
  const { page } = observed;
  await openOperation(page, title, path, id);
  const response = await sendOpened(page);
  const answer = response.request().method() === 'POST' ? await response.json() : await response.text();
  await closeOpened(page);
  return { status: response.status(), answer };
};

test('an account without data: its first requests succeed in their order, as they are filled in', async () => {
  const customer = await send('Create a customer', '/v1/customers');
  expect(customer.status).toBe(201);
  const invoice = await send('Create an invoice', '/v1/invoices', customer.answer.id);
  expect(invoice).toMatchObject({ status: 201, answer: { customer_id: customer.answer.id } });
  const payment = await send('Create a payment', '/v1/payments', invoice.answer.id);
  expect(payment).toMatchObject({ status: 201, answer: { invoice_id: invoice.answer.id } });
  const created = await send('Create an export', '/v1/exports');
  expect(created.status).toBe(202);
  await client.exports.wait(created.answer.id);
  const file = await send("Download an export's file", '/v1/exports/{export_id}/file', created.answer.id);
  expect(file.status).toBe(200);
  expect(file.answer.length).toBeGreaterThan(10);
  const refund = await send('Create a refund', '/v1/refunds', payment.answer.id);
  expect(refund).toMatchObject({ status: 201, answer: { payment_id: payment.answer.id } });
  expect(observed.errors).toEqual([]);
});
