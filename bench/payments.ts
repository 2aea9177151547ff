import { randomUUID } from 'node:crypto';
import createInvoice from '#functions/invoices/create.ts';
import createPayment from '#functions/payments/create.ts';
import * as checks from '#shared/invoicing/row-checks.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { lambda } from '#shared/runtime/endpoint-runtime.ts';
import { addDelay, DELAYS_MS, dropEvents } from './measure/meter.ts';
import { atMost, type Report } from './measure/report.ts';
import { eventOf, expectCreated, postInvoice, send } from './measure/requests.ts';
import { ratios, type SubjectName, sampleAlternately } from './measure/samples.ts';

const { idempotency: _, ...withoutKey } = createPayment;
/** POST /payments that ignores the key: it reads and stores no record. */
const withoutRecord: Operation = withoutKey;

/** What a commit of the service would be without a part of it, and the ratio of times that the part may cost. */
const ALTERNATIVES = [
  ['its idempotency record', withoutRecord, () => {}, 1.1],
  ['its event', createPayment, dropEvents, 1.1],
] as const;

/** Compares the time of POST /v1/payments with that of the same request without a part of its transaction. */
export const comparePayments = async (token: string, quick: boolean, report: Report): Promise<void> => {
  const { print, row, progress } = report;
  const invoices = lambda(createInvoice, { checks });
  const { calls, warmUp } = quick ? { calls: 30, warmUp: 100 } : { calls: 200, warmUp: 500 };
  print(`\nTime of POST /v1/payments, divided by the time without a part of it; ${calls} samples each`);
  for (const [part, alternative, prepare, target] of ALTERNATIVES) {
    for (const delay of DELAYS_MS) {
      const [baseline, service] = [createDynamoClient(), createDynamoClient()];
      prepare(baseline);
      if (delay > 0) for (const client of [baseline, service]) addDelay(client, delay);
      const handlers = {
        baseline: lambda(alternative, { client: baseline, checks }),
        service: lambda(createPayment, { client: service, checks }),
      };
      const sample = async (name: SubjectName): Promise<number> => {
        const body = { invoice_id: await postInvoice(token, invoices), amount_cents: 100, method: 'card' };
        const event = eventOf('POST /v1/payments', { token, body, key: randomUUID() });
        const before = performance.now();
        const response = await send(handlers[name], event);
        const milliseconds = performance.now() - before;
        expectCreated(response);
        return milliseconds;
      };
      // V8 compiles during the first delay. The later ones only open new connections.
      await sampleAlternately(delay === 0 ? warmUp : warmUp / 10, sample, () => {});
      const samples = await sampleAlternately(calls, sample, progress(`Payments, ${delay} ms added`));
      const { pairs } = ratios(samples);
      print(row(`${part}, ${delay} ms added`, pairs.toFixed(2), atMost(pairs, target)));
      for (const client of [baseline, service]) client.destroy();
    }
  }
};
