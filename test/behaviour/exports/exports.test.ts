import { createHash, randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { EXPORT_TYPES } from '#shared/invoicing/index.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Caller, Sent } from '#test/support/service/client.ts';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { idMakers } from '../support/id-makers.ts';
import { query } from '../support/pages.ts';
import { endedPeriod } from '../support/prerequisites.ts';
import { outcome } from '../support/requests.ts';
import { createRows, lists, type Row } from '../support/rows.ts';
import { CSV, complete } from './completed-export.ts';

const service = await openService();

const post = (service: Service, body: object, sent: Sent = {}) =>
  service.send('/v1/exports', { method: 'POST', body, ...sent });

/** `Retry-After` of an export with the filter of `endedPeriod`, in seconds. */
const WAITING = expect.stringMatching(/^(1?\d|20)$/);

const cancel = (service: Service, id: number, as: Caller = {}) =>
  service.send(`/v1/exports/${id}/cancel`, { method: 'POST', as });

const INVALID: readonly (readonly [body: object, violations: readonly string[]])[] = [
  [{}, ['/type required', '/format required']],
  [{ ...CSV, type: 'invoice-items' }, ['/type not-allowed']],
  [{ ...CSV, type: { toString: null } }, ['/type not-allowed']],
  [{ ...CSV, format: 'xlsx' }, ['/format not-allowed']],
  [{ ...CSV, filter: null }, ['/filter invalid-type']],
  [{ ...CSV, filter: { emial: 'a' } }, ['/filter/emial unknown-field']],
  [{ ...CSV, filter: { status: 'open' } }, ['/filter/status unknown-field']],
  [{ ...CSV, filter: { status: 'late' } }, ['/filter/status unknown-field']],
  [
    { ...CSV, type: 'payments', filter: { payment_id: 1, invoice_id: 'x' } },
    ['/filter/payment_id unknown-field', '/filter/invoice_id invalid-id'],
  ],
  [
    { ...CSV, type: 'invoices', filter: { status: 'late', customer_id: 0 } },
    ['/filter/status not-allowed', '/filter/customer_id invalid-id'],
  ],
  [{ ...CSV, type: 'invoices', filter: { customer_id: null } }, ['/filter/customer_id invalid-type']],
  [
    { ...CSV, filter: { created_from: '2026-01-01', created_before: 5 } },
    ['/filter/created_from invalid-timestamp', '/filter/created_before invalid-timestamp'],
  ],
  [{ ...CSV, account_id: 'acct_2' }, ['/account_id unknown-field']],
];

describe('Export jobs', () => {
  test('POST /exports: 202 with Location, Retry-After, ETag and the job [CONTRACT §9]', async () => {
    const filter = endedPeriod();
    const { status, headers, json } = await post(service, { ...CSV, filter });
    const { id, created_at } = json;
    expect(status).toBe(202);
    expect(headers).toMatchObject({ location: `/v1/exports/${id}`, etag: '"1"', 'retry-after': WAITING });
    const none = {
      sha256: null,
      file_url: null,
      error: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
    };
    const counts = { row_count: 0, size_bytes: 0 };
    const times = { created_at, updated_at: created_at };
    expect(json).toStrictEqual({ id, ...CSV, filter, status: 'pending', ...counts, ...none, ...times });
    await cancel(service, id);
  });

  for (const [body, violations] of partOf(INVALID, 3)) {
    test(`POST /exports ${JSON.stringify(body)}: 422 [CONTRACT §4]`, async () => {
      const { status, json } = await post(service, body);
      const found = json.errors?.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
      expect([status, found.sort()]).toEqual([422, violations.toSorted()]);
    });
  }

  test('times of a filter in any offset: the 202 and the job show UTC with milliseconds, rounded up [CONTRACT §4]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const filter = { created_from: '2026-11-21T10:30:00+01:00', created_before: '2026-11-21t08:15:00.0001-01:30' };
    const shown = { created_from: '2026-11-21T09:30:00.000Z', created_before: '2026-11-21T09:45:00.001Z' };
    const { status, json } = await post(service, { ...CSV, filter }, { headers });
    expect([status, json.filter]).toEqual([202, shown]);
    for (const version of ['v1', 'v2'])
      expect((await service.send(`/${version}/exports/${json.id}`)).json.filter).toEqual(shown);
    const sameTimes = await post(service, { ...CSV, filter: shown }, { headers });
    expect(outcome(sameTimes)).toEqual([422, 'idempotency-key-reused']);
  });

  test('no scope to read the exported type: 403, also instead of a replay [CONTRACT §2]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { ...CSV, filter: endedPeriod() };
    const { json } = await post(service, body, { headers });
    for (const more of [{}, { headers }]) {
      const answer = await post(service, body, { as: { scope: 'exports:write invoices:read' }, ...more });
      expect(outcome(answer)).toEqual([403, 'insufficient-scope']);
      expect(answer.headers['www-authenticate']).toContain('scope="customers:read"');
    }
    await cancel(service, json.id);
  });

  test('no scope to read the exported type, and an invalid body: 403; an unknown type: 422 [CONTRACT §2]', async () => {
    const as = { scope: 'exports:write invoices:read' };
    const invalid = { ...CSV, format: 'xml' };
    expect(outcome(await post(service, invalid, { as }))).toEqual([403, 'insufficient-scope']);
    for (const type of ['invoices', 'constructor', 7])
      expect(outcome(await post(service, { ...invalid, type }, { as }))).toEqual([422, 'validation-failed']);
  });

  test('an unfinished export: has Retry-After; a completed export: has the path of its file [CONTRACT §9]', async () => {
    const { json } = await post(service, { ...CSV, filter: endedPeriod() });
    const before = await service.send(`/v1/exports/${json.id}`);
    expect([before.status, before.headers['retry-after'], before.json.file_url]).toEqual([200, WAITING, null]);
    await cancel(service, json.id);
    const { id } = await complete(service, CSV);
    for (const version of ['v1', 'v2']) {
      const { headers, json: job } = await service.send(`/${version}/exports/${id}`);
      expect([headers['retry-after'], job.file_url]).toEqual([undefined, `/${version}/exports/${id}/file`]);
      expect(Date.parse(job.expires_at) - Date.parse(job.completed_at)).toBe(7 * 86_400_000);
      const times = [job.created_at, job.started_at, job.completed_at];
      expect(times).toEqual(times.toSorted());
    }
    const part = await service.send(`/v1/exports/${id}?fields=file_url`);
    expect([part.json, part.headers['retry-after']]).toEqual([{ file_url: `/v1/exports/${id}/file` }, undefined]);
    expect((await service.send(`/v1/exports/${id}`, { headers: { 'if-none-match': '"1"' } })).status).toBe(200);
  });

  test('an unfinished export: private, no-cache, also for 304; a canceled export: max-age=60 [CONTRACT §7]', async () => {
    const { json } = await post(service, { ...CSV, filter: endedPeriod() });
    const path = `/v1/exports/${json.id}`;
    const cached = async (headers = {}) => {
      const answer = await service.send(path, { headers });
      return [answer.status, answer.headers['cache-control']];
    };
    expect(await cached()).toEqual([200, 'private, no-cache']);
    expect(await cached({ 'if-none-match': '"1"' })).toEqual([304, 'private, no-cache']);
    await cancel(service, json.id);
    expect(await cached()).toEqual([200, 'private, max-age=60']);
  });

  test('cancel of a pending export: 200, no file; again: nothing changes [CONTRACT §12]', async () => {
    const { json } = await post(service, { ...CSV, filter: endedPeriod() });
    expect(outcome(await service.send(`/v1/exports/${json.id}/file`))).toEqual([409, 'export-not-ready']);
    const first = await cancel(service, json.id);
    expect([first.status, first.json.status, first.headers['etag']]).toEqual([200, 'canceled', '"2"']);
    const again = await cancel(service, json.id);
    expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
    expect(outcome(await service.send(`/v1/exports/${json.id}/file`))).toEqual([409, 'export-not-ready']);
    expect((await service.send(`/v1/exports/${json.id}`)).headers['retry-after']).toBeUndefined();
  });

  test('cancel of a completed export: 409, and its file stays [CONTRACT §12]', async () => {
    const { id } = await complete(service, CSV);
    expect(outcome(await cancel(service, id))).toEqual([409, 'export-not-cancelable']);
    expect((await service.send(`/v1/exports/${id}/file`)).status).toBe(303);
  });

  testWith('fullExtent', 'newAccounts')(
    'the 21st unfinished export: 429 with Retry-After; a replay succeeds [CONTRACT §10]',
    async () => {
      const as = { account: 'empty' };
      const filter = endedPeriod();
      const start = (headers: Sent['headers'] = {}) => post(service, { ...CSV, filter }, { as, headers });
      const key = { 'idempotency-key': randomUUID() };
      const first = await start(key);
      const answers = await Promise.all(Array.from({ length: 24 }, () => start()));
      const accepted = [first, ...answers].filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      expect([accepted.length, refused.map(outcome)]).toEqual([20, Array(5).fill([429, 'too-many-exports'])]);
      expect(refused[0]?.headers['retry-after']).toBe('10');
      expect(refused[0]?.json.detail).toMatch(/20 unfinished exports/);
      const again = await start(key);
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
      const reused = await post(service, { ...CSV, format: 'jsonl' }, { as, headers: key });
      expect(outcome(reused)).toEqual([422, 'idempotency-key-reused']);
      const dry = await service.send('/v1/exports?dry_run=true', { method: 'POST', body: CSV, as });
      expect([...outcome(dry), dry.headers['dry-run']]).toEqual([429, 'too-many-exports', 'true']);
      const own = await post(service, { ...CSV, filter });
      expect(own.status).toBe(202);
      await cancel(service, own.json.id);
      await cancel(service, first.json.id, as);
      await cancel(service, first.json.id, as);
      const replacement = await start();
      expect([replacement.status, (await start()).status]).toEqual([202, 429]);
      for (const { json } of [...accepted, replacement]) await cancel(service, json.id, as);
    },
  );
});

const download = async (service: Service, { id }: Row) => {
  const { status, headers } = await service.send(`/v1/exports/${id}/file`);
  expect(status).toBe(303);
  return service.download(headers['location'] as string);
};

/** Creates rows of the type, and some whose values need quotes or would be a formula. */
const createData = async (service: Service, type: string): Promise<string> => {
  const { create, pay, invoice } = idMakers(service);
  const address = { line1: '1, "Main" St', country: 'DE' };
  const first = await service.create('/v1/customers', { name: "=cmd|' /C calc'!A0", email: '+1@example.com', address });
  const customer_id = await create('customers', { name: 'a,"b"\r\nc', tax_id: '＝1+1', metadata: { b: '1', a: '-2' } });
  for (const description of ['-5', '@sum', null]) {
    const payment_id = await pay(await invoice({ customer_id, description }), 7);
    await create('refunds', { payment_id, amount_cents: 2, reason: ' =1+1' });
    await create('credit-notes', {
      invoice_id: await invoice({ customer_id }),
      amount_cents: 3,
      reason: '-1',
      metadata: { b: '=' },
    });
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

const FILE_KINDS = EXPORT_TYPES.flatMap((type) => (['csv', 'jsonl'] as const).map((format) => [type, format] as const));

describe('Export files', () => {
  for (const [type, format] of partOf(FILE_KINDS, 5)) {
    test(`${type} as ${format}: the file has exactly the v1 rows, by id [CONTRACT §9]`, async () => {
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
    });
  }

  test('an export of no rows as CSV: the file has only the header row [CONTRACT §9]', async () => {
    const job = await complete(service, { ...CSV, filter: { created_from: '2090-01-01T00:00:00.000Z' } });
    const text = (await download(service, job)).bytes.toString();
    expect([job.row_count, text.split('\r\n').length]).toEqual([0, 2]);
    expect(text).toMatch(/^id,name,email,.*,updated_at\r\n$/);
  });

  testWith('otherAccount')('rows of another account: are not in the file [CONTRACT §2]', async () => {
    const other = await service.create('/v1/customers', { name: 'Theirs' }, { account: 'other' });
    const { created_at } = (await service.create('/v1/customers', { name: 'Ours' })).json;
    const earlier = [created_at, other.json.created_at].sort()[0];
    const job = await complete(service, { ...CSV, format: 'jsonl', filter: { created_from: earlier } });
    const text = (await download(service, job)).bytes.toString();
    expect([text.includes('Ours'), text.includes('Theirs')]).toEqual([true, false]);
  });

  test('GET and HEAD of the file: 303 to a URL for five minutes; storage refuses an altered URL [CONTRACT §9]', async () => {
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
      [/(?<=Signature=)./, location.includes('Signature=0') ? '1' : '0'],
    ] as const)
      expect((await service.download(location.replace(from, to))).status).toBe(403);
    const head = await service.send(`/v2/exports/${id}/file`, { method: 'HEAD' });
    expect([head.status, head.headers['location']]).toEqual([303, expect.stringContaining(`/${id}/`)]);
    const file = await fetch(head.headers['location'] as string, { method: 'HEAD' });
    expect([file.status, Number(file.headers.get('content-length'))]).toEqual([200, size_bytes]);
  });

  testWith('otherAccount')(
    'the file without both read scopes: 403; of an unknown export: 404 [CONTRACT §2]',
    async () => {
      const { id } = await complete(service, CSV);
      const read = (one: number, as: Caller) => service.send(`/v1/exports/${one}/file`, { as });
      expect(outcome(await read(id, { scope: 'exports:read' }))).toEqual([403, 'insufficient-scope']);
      expect(outcome(await read(id, { scope: 'customers:read' }))).toEqual([403, 'insufficient-scope']);
      expect((await read(id, { scope: 'exports:read customers:read' })).status).toBe(303);
      expect((await read(1, { scope: 'exports:read' })).status).toBe(404);
      expect((await read(id, { account: 'other' })).status).toBe(404);
    },
  );
});
