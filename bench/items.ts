import { randomUUID } from 'node:crypto';
import createItem from '#functions/invoice-items/create.ts';
import createInvoice from '#functions/invoices/create.ts';
import getInvoice from '#functions/invoices/get.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { addDelay, DELAYS_MS } from './measure/meter.ts';
import { atMost, type Report } from './measure/report.ts';
import { eventOf, expectCreated, send } from './measure/requests.ts';
import { ratios, sampleAlternately } from './measure/samples.ts';

const LINES = Array.from({ length: 20 }, () => ({ description: 'Work', unit_amount_cents: 5 }));

/** Compares an invoice with 20 items in one request with 21 requests, and a GET with `expand=items` with a plain one. */
export const compareItems = async (token: string, rounds: number, { print, row, progress }: Report): Promise<void> => {
  const [post, postItem] = [lambda(createInvoice, { checks }), lambda(createItem, { checks })];
  const create = async (handler: typeof post, route: string, body: object): Promise<number> =>
    expectCreated(await send(handler, eventOf(route, { token, body, key: randomUUID() }))).id;
  const whole = () => create(post, 'POST /v1/invoices', { items: LINES });
  const single = async () => {
    const invoice_id = await create(post, 'POST /v1/invoices', {});
    for (const line of LINES) await create(postItem, 'POST /v1/invoice-items', { invoice_id, ...line });
  };
  const id = await whole();
  const reads = DELAYS_MS.map((delay) => {
    const client = createDynamoClient();
    if (delay > 0) addDelay(client, delay);
    const get = lambda(getInvoice, { client });
    const read = (rawQueryString: string) => () =>
      send(get, { ...eventOf('GET /v1/invoices/{invoice_id}', { token, id }), rawQueryString });
    return [`expand=items, 20 items, ${delay} ms added`, [read(''), read('expand=items'), 1.3]] as const;
  });
  const pairs = { 'creation with 20 items': [single, whole, 0.15], ...Object.fromEntries(reads) } as const;
  for (const [name, [baseline, service, target]] of Object.entries(pairs)) {
    const work = { baseline, service };
    const sample = async (subject: keyof typeof work) => {
      const start = performance.now();
      for (let i = 0; i < 5; i++) await work[subject]();
      return performance.now() - start;
    };
    const { pairs: ratio } = ratios(await sampleAlternately(rounds, sample, progress(name)));
    print(row(name, ratio.toFixed(2), atMost(ratio, target)));
  }
};
