import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type Exports, startExports } from '#test/support/exports.ts';
import type { Answer } from '#test/support/service.ts';

let service: Exports;

beforeAll(async () => {
  service = await startExports();
});
afterAll(() => service.stop());

const TYPES = ['customers', 'invoices', 'payments', 'refunds'] as const;
type Json = Answer['json'];

const post = async (path: string, body: object): Promise<Json> => {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const answer = await service.send(`/v1/${path}`, { method: 'POST', body, headers });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
};

/** The rows of all pages of the API's list. */
const listRows = async (type: string): Promise<Json[]> => {
  const rows: Json[] = [];
  for (let next: string | null = `/v1/${type}?limit=100`; next; ) {
    const { json }: Answer = await service.send(next);
    rows.push(...json.data);
    next = json.next_cursor && `/v1/${type}?limit=100&after=${json.next_cursor}`;
  }
  return rows;
};

const fileOf = async (id: number): Promise<Buffer> => {
  const { headers } = await service.send(`/v1/exports/${id}/file`);
  const download = await fetch(headers['location'] as string);
  expect(download.status).toBe(200);
  return Buffer.from(await download.arrayBuffer());
};

const exportFile = async (body: object): Promise<{ job: Json; file: Buffer }> => {
  const id = await service.request(body);
  await service.drain();
  const job = await service.job(id);
  expect([job.status, job.error]).toEqual(['completed', null]);
  const file = await fileOf(id);
  expect([job.size_bytes, job.sha256]).toEqual([file.length, createHash('sha256').update(file).digest('hex')]);
  return { job, file };
};

/** The expected CSV cell for a value of the list. */
const toCell = (value: unknown): string => {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /^[=+\-@\t\r\n]/.test(value) ? `'${text}` : text;
};

beforeAll(async () => {
  const texts = ['plain', '=1+1', '+49 30', '-2', '@SUM(A1)', '\tx', '\rx', '\nx', 'a,"b"\r\nc', '', ' ', '😀', "'=x"];
  for (const text of texts)
    await post('customers', { name: text || 'Ada', metadata: { k: text }, address: { city: text } });
  const { id: customer_id } = await post('customers', { name: 'Ada' });
  for (let i = 1; i <= 15; i++) {
    const invoice = await post('invoices', { total_cents: 100 * i, customer_id, description: texts[i] ?? null });
    if (i % 2) continue;
    const { id } = await post('payments', {
      invoice_id: invoice.id,
      amount_cents: 50 * i,
      reference: texts[i] ?? null,
    });
    if (i % 4 === 0) await post('refunds', { payment_id: id, amount_cents: i, reason: '=cmd()' });
  }
}, 30_000);

test.each(TYPES)('a CSV file of %s, read by another parser: the rows of the API’s list [CONTRACT §9]', async (type) => {
  const { job, file } = await exportFile({ type, format: 'csv' });
  const rows = await listRows(type);
  const records: string[][] = parse(file, { bom: false });
  expect(records[0]).toEqual(Object.keys(rows[0]));
  expect(records.slice(1)).toEqual(rows.map((row) => Object.values(row).map(toCell)));
  expect(job.row_count).toBe(rows.length);
});

test.each(TYPES)(
  'a JSONL file of %s, requested under v2: the rows of the API’s v1 list, one in each line [CONTRACT §9]',
  async (type) => {
    const response = await service.send('/v2/exports', { method: 'POST', body: { type, format: 'jsonl' } });
    expect([response.status, response.json.status]).toEqual([202, 'pending']);
    await service.drain();
    const file = await fileOf(response.json.id);
    const rows = await listRows(type);
    expect(file.toString().endsWith('\n')).toBe(true);
    expect(
      file
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
  },
);

test('the CSV format: lines end in CRLF, quotes are doubled, null is an empty cell [CONTRACT §9]', async () => {
  const { file } = await exportFile({ type: 'customers', format: 'csv' });
  const [head, first] = file.toString().split('\r\n');
  expect(head).toBe('id,name,email,tax_id,address,metadata,created_at,updated_at');
  expect(first).toMatch(/^\d+,plain,,,"\{""city"":""plain"".*\}","\{""k"":""plain""\}",2/);
});

test('an export without rows: a CSV file with only the header, an empty JSONL file [CONTRACT §9]', async () => {
  const filter = { status: 'draft' };
  const csv = await exportFile({ type: 'invoices', format: 'csv', filter });
  expect([csv.job.row_count, csv.file.toString().split('\r\n').length]).toEqual([0, 2]);
  const jsonl = await exportFile({ type: 'invoices', format: 'jsonl', filter });
  expect([jsonl.job.row_count, jsonl.job.size_bytes, jsonl.file.length]).toEqual([0, 0, 0]);
});
