import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { createInvoice, DEFAULT_TERMS, INVOICE_STATUSES, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { createId } from '#shared/platform/id.ts';
import type { Progress } from './samples.ts';

export const ACCOUNT = 'acct_1';

/** Half of the invoices are in bursts, like quarterly billing; the other half is spread over the years. */
const FIRST_AT = Date.parse('2024-01-02T00:00:00.000Z');
const LAST_AT = Date.parse('2026-10-30T00:00:00.000Z');
const BURSTS = 12;
const BURST_GAP_MS = 200;
const MONTH_MS = 30 * 86_400_000;

/** Writes `count` invoices, with index keys, to a file in the format of DynamoDB's export to S3. */
export const writeInvoices = (file: string, count: number, progress: Progress): Promise<void> =>
  pipeline(Readable.from(lines(count, progress)), createGzip({ level: 1 }), createWriteStream(file));

/** The time before which half of `count` invoices were created. */
export const middleTime = (count: number): string => new Date(timeOf(count >> 1, count)).toISOString();

const LINES_PER_CHUNK = 1000;

/** Yields the lines in chunks, because a stream is slow for single lines. */
function* lines(count: number, progress: Progress): Generator<string> {
  for (let first = 0; first < count; first += LINES_PER_CHUNK) {
    progress(first / LINES_PER_CHUNK, Math.ceil(count / LINES_PER_CHUNK));
    let chunk = '';
    for (let i = first; i < Math.min(first + LINES_PER_CHUNK, count); i++) {
      const row = { ...invoice(i, count) };
      const item = { account_id: ACCOUNT, ...row, ...indexKeys(tables.invoices, ACCOUNT, row) };
      chunk += `${JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) })}\n`;
    }
    yield chunk;
  }
}

const invoice = (i: number, count: number): Invoice => {
  const at = new Date(timeOf(i, count)).toISOString();
  const status = INVOICE_STATUSES[i % INVOICE_STATUSES.length] as Invoice['status'];
  const total_cents = 100 + ((i * 7919) % 1_000_000);
  const terms = {
    ...DEFAULT_TERMS,
    status,
    total_cents,
    currency: i % 5 === 0 ? 'EUR' : 'USD',
    customer_id: i % 3 === 0 ? null : createId(new Date(FIRST_AT).toISOString(), i % 4096),
    due_date: i % 4 === 0 ? null : new Date(timeOf(i, count) + MONTH_MS).toISOString().slice(0, 10),
    description: i % 10 === 0 ? null : `Consulting, "phase ${i % 7}", order ${i}`,
    metadata: i % 2 === 0 ? {} : { order: `A-${i}` },
  };
  return {
    ...createInvoice(terms, { id: createId(at, (i * 2741) % 4096), at }),
    version: 1 + (i % 3),
    amount_paid_cents: status === 'paid' ? total_cents : 0,
    paid_at: status === 'paid' ? at : null,
    canceled_at: status === 'canceled' ? at : null,
  };
};

/** The creation time of invoice `i` of `count`, in epoch milliseconds. */
const timeOf = (i: number, count: number): number => {
  const half = Math.ceil(count / BURSTS / 2);
  const [burst, rest] = [Math.floor(i / (2 * half)), i % (2 * half)];
  const span = (LAST_AT - FIRST_AT) / BURSTS;
  const quiet = span - half * BURST_GAP_MS;
  const within = rest < half ? rest * BURST_GAP_MS : half * BURST_GAP_MS + ((rest - half + 1) * quiet) / (half + 1);
  return Math.floor(FIRST_AT + burst * span + within);
};
