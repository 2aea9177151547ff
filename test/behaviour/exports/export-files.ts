import { createHash } from 'node:crypto';
import { expect } from 'expect';
import { EXPORT_TYPES } from '#shared/invoicing/index.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Caller, Service } from '#test/acceptance/suite/service.ts';
import { makers } from '../support/makers.ts';
import { query } from '../support/pages.ts';
import { outcome } from '../support/requests.ts';
import { createRows, lists, type Row } from '../support/rows.ts';
import { CSV, complete } from './completed-export.ts';

const download = async (service: Service, { id }: Row) => {
  const { status, headers } = await service.send(`/v1/exports/${id}/file`);
  expect(status).toBe(303);
  return service.download(headers['location'] as string);
};

/** Creates rows of the type, and some whose values need quotes or would be a formula. */
const createData = async (service: Service, type: string): Promise<string> => {
  const { create, pay, invoice } = makers(service);
  const address = { line1: '1, "Main" St', country: 'DE' };
  const first = await service.create('/v1/customers', { name: "=cmd|' /C calc'!A0", email: '+1@example.com', address });
  const customer_id = await create('customers', { name: 'a,"b"\r\nc', tax_id: '＝1+1', metadata: { b: '1', a: '-2' } });
  for (const description of ['-5', '@sum', null]) {
    const payment_id = await pay(await invoice({ customer_id, description }), 7);
    await create('refunds', { payment_id, amount_cents: 2, reason: ' =1+1' });
  }
  const list = lists.find(({ route }) => route === `GET /${type}`);
  if (list) await createRows(service, list, 2);
  return first.json.created_at;
};

const listed = async (service: Service, type: string, created_from: string): Promise<Row[]> =>
  (await service.send(`/v1/${type}${query({ created_from, limit: 100 })}`)).json.data;

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = /^[\t\r\n]/.test(text) || /^[=+\-@＝＋－＠]/.test(text.replace(/^[\s\u200b]+/, ''));
  const safe = typeof value !== 'number' && isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
const csvOf = (rows: readonly Row[]): string => {
  const columns = Object.keys(rows[0]);
  return [columns, ...rows.map((row) => columns.map((name) => cellOf(row[name])))]
    .map((cells) => `${cells.join()}\r\n`)
    .join('');
};
const FILES = {
  csv: { serialize: csvOf, type: 'text/csv; charset=utf-8' },
  jsonl: {
    serialize: (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    type: expect.stringMatching(/json/),
  },
} as const;

export const exportFiles: Group = {
  name: 'Export files',
  checks: [
    ...EXPORT_TYPES.flatMap((type) =>
      (['csv', 'jsonl'] as const).map((format) =>
        check('CONTRACT §9', `${type} as ${format}: the file has exactly the v1 rows, by id`, async (service) => {
          const created_from = await createData(service, type);
          const rows = await listed(service, type, created_from);
          expect(rows.length).toBeGreaterThan(1);
          const version = format === 'csv' ? 'v1' : 'v2';
          const { json } = await service.create(`/${version}/exports`, { type, format, filter: { created_from } });
          const path = `/v1/exports/${json.id}`;
          const job = (await service.until(path, (answer) => answer.json.status === 'completed')).json;
          const { status, headers, bytes } = await download(service, job);
          expect([status, headers.get('content-type')]).toEqual([200, FILES[format].type]);
          expect(headers.get('content-disposition')).toBe(`attachment; filename="${type}-${job.id}.${format}"`);
          expect(bytes.toString()).toBe(FILES[format].serialize(rows));
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          expect(job).toMatchObject({ row_count: rows.length, size_bytes: bytes.length, sha256, error: null });
        }),
      ),
    ),
    check('CONTRACT §9', 'a filter and time bounds: the file has only the matching rows', async (service) => {
      const { customer, invoice } = makers(service);
      const customer_id = await customer();
      const ids: number[] = [];
      for (const status of ['open', 'draft', 'open', 'open']) ids.push(await invoice({ customer_id, status }));
      const [, , third] = await listed(service, 'invoices', '2000-01-01T00:00:00Z').then(async () =>
        Promise.all(ids.map(async (id) => (await service.send(`/v1/invoices/${id}`)).json)),
      );
      const exported = async (filter: object) => {
        const job = await complete(service, { type: 'invoices', format: 'jsonl', filter });
        const lines = (await download(service, job)).bytes.toString().split('\n').filter(Boolean);
        expect(job.row_count).toBe(lines.length);
        return lines.map((line) => JSON.parse(line).id);
      };
      expect(await exported({ customer_id })).toEqual(ids);
      expect(await exported({ customer_id, status: 'open' })).toEqual([ids[0], ids[2], ids[3]]);
      expect(await exported({ customer_id, created_from: third.created_at })).toEqual(ids.slice(2));
      expect(await exported({ customer_id: 1 })).toEqual([]);
      expect(await exported({ customer_id, created_from: '2090-01-01T00:00:00.000Z' })).toEqual([]);
    }),
    check('CONTRACT §9', 'an export of no rows as CSV: the file has only the header row', async (service) => {
      const job = await complete(service, { ...CSV, filter: { created_from: '2090-01-01T00:00:00.000Z' } });
      const text = (await download(service, job)).bytes.toString();
      expect([job.row_count, text.split('\r\n').length]).toEqual([0, 2]);
      expect(text).toMatch(/^id,name,email,.*,updated_at\r\n$/);
    }),
    check('CONTRACT §2', 'rows of another account: are not in the file', async (service) => {
      const other = await service.create('/v1/customers', { name: 'Theirs' }, { account: 'other' });
      const { created_at } = (await service.create('/v1/customers', { name: 'Ours' })).json;
      const earlier = [created_at, other.json.created_at].sort()[0];
      const job = await complete(service, { ...CSV, format: 'jsonl', filter: { created_from: earlier } });
      const text = (await download(service, job)).bytes.toString();
      expect([text.includes('Ours'), text.includes('Theirs')]).toEqual([true, false]);
    }),
    check(
      'CONTRACT §9',
      'GET and HEAD of the file: 303 to a URL for five minutes; storage refuses an altered URL',
      async (service) => {
        const { id, size_bytes } = await complete(service, CSV);
        const { status, headers, text } = await service.send(`/v1/exports/${id}/file`);
        expect([status, text, headers['cache-control']]).toEqual([303, '', 'no-store']);
        const location = headers['location'] as string;
        expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('300');
        expect((await service.download(location)).status).toBe(200);
        expect((await fetch(location, { method: 'HEAD' })).status).toBe(403);
        for (const [from, to] of [
          [String(id), String(id + 1)],
          ['X-Amz-Expires=300', 'X-Amz-Expires=301'],
          [/Signature=.{4}/, 'Signature=0000'],
        ] as const)
          expect((await service.download(location.replace(from, to))).status).toBe(403);
        const head = await service.send(`/v2/exports/${id}/file`, { method: 'HEAD' });
        expect([head.status, head.headers['location']]).toEqual([303, expect.stringContaining(`/${id}/`)]);
        const file = await fetch(head.headers['location'] as string, { method: 'HEAD' });
        expect([file.status, Number(file.headers.get('content-length'))]).toEqual([200, size_bytes]);
      },
    ),
    check('CONTRACT §2', 'the file without both read scopes: 403; of an unknown export: 404', async (service) => {
      const { id } = await complete(service, CSV);
      const read = (one: number, as: Caller) => service.send(`/v1/exports/${one}/file`, { as });
      expect(outcome(await read(id, { scope: 'exports:read' }))).toEqual([403, 'insufficient-scope']);
      expect(outcome(await read(id, { scope: 'customers:read' }))).toEqual([403, 'insufficient-scope']);
      expect((await read(id, { scope: 'exports:read customers:read' })).status).toBe(303);
      expect((await read(1, { scope: 'exports:read' })).status).toBe(404);
      expect((await read(id, { account: 'other' })).status).toBe(404);
    }),
  ],
};
