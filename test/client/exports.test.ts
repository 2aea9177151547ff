import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type Client, createClient, type ExportV1 } from '#client/source/index.ts';
import { until } from '#test/support/waiting/until.ts';
import { replacePauses } from './pauses.ts';
import { problem, startHttpServer, type Wire, wire } from './serve-api.ts';

// A stub replaces the service, to send the responses that the real service sends rarely (CONTRACT §9).

const FILE = Buffer.from(`id,total_cents\n${'374206529710080,125000\n'.repeat(20_000)}`);
const SHA256 = createHash('sha256').update(FILE).digest('hex');

let line: Wire;
let client: Client<'v1'>;
/** The states of the job, one per GET; the last state stays. */
let states: Partial<ExportV1>[];
/** The file that storage sends. */
let stored: Buffer;
/** Whether storage closes the connection halfway. */
let isCutOff: boolean;
let storageRequests: IncomingHttpHeaders[];

const job = (state: Partial<ExportV1>): ExportV1 => ({
  id: 7,
  type: 'invoices',
  format: 'csv',
  filter: {},
  status: 'pending',
  row_count: 0,
  size_bytes: 0,
  sha256: null,
  file_url: null,
  error: null,
  started_at: null,
  completed_at: null,
  expires_at: null,
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
  ...state,
});

const COMPLETED = { status: 'completed', row_count: 20_000, size_bytes: FILE.length, sha256: SHA256 } as const;

const storage = await startHttpServer((request, response) => {
  storageRequests.push(request.headers);
  if (!isCutOff) return void response.end(stored);
  response.writeHead(200, { 'content-length': stored.length });
  response.write(stored.subarray(0, 1000), () => response.destroy());
});
const service = await startHttpServer(({ method, url = '' }, response) => {
  if (url === '/v1/exports/7/file') {
    response.writeHead(303, { location: `${storage.url}/file?signature=s` }).end();
    return;
  }
  const state = method === 'POST' ? {} : ((states.length > 1 ? states.shift() : states[0]) as Partial<ExportV1>);
  const isOpen = !('status' in state) || state.status === 'running';
  response.writeHead(method === 'POST' ? 202 : 200, {
    'content-type': 'application/json',
    ...(isOpen && { 'retry-after': '0' }),
  });
  response.end(JSON.stringify(job(state)));
});
afterAll(() => {
  service.server.close();
  storage.server.close();
});
beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  line = wire();
  client = createClient({ baseUrl: service.url, token: 'secret', fetch: line.fetch });
  states = [COMPLETED];
  stored = FILE;
  isCutOff = false;
  storageRequests = [];
});
afterEach(() => {
  jest.restoreAllMocks();
});

const text = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

test('wait: polls by Retry-After and reports each state; download: returns the file [CONTRACT §9]', async () => {
  const { id } = await client.exports.create({ type: 'invoices', format: 'csv', filter: { status: 'open' } });
  states = [{}, { status: 'running', row_count: 500 }, COMPLETED];
  const seen: unknown[] = [];
  const done = await client.exports.wait(id, { onProgress: ({ status, row_count }) => seen.push([status, row_count]) });
  expect(done.sha256).toBe(SHA256);
  expect(seen).toEqual([
    ['pending', 0],
    ['running', 500],
    ['completed', 20_000],
  ]);
  expect(await text(await client.exports.download(id))).toBe(FILE.toString());
});

test('baseUrl with the path of a proxy: the export is requested below it, and its file at the URL in Location', async () => {
  const urls: string[] = [];
  const proxy: typeof fetch = (url, init) => {
    urls.push(String(url));
    return fetch(String(url).replace(`${service.url}/billing/`, `${service.url}/`), init);
  };
  const proxied = createClient({ baseUrl: `${service.url}/billing`, token: 'secret', fetch: proxy });
  expect(await text(await proxied.exports.download(7))).toBe(FILE.toString());
  const job = `${service.url}/billing/v1/exports/7`;
  expect(urls).toEqual([job, `${job}/file`, `${storage.url}/file?signature=s`]);
});

test('wait with a long Retry-After: no further request, and the signal ends the wait', async () => {
  line.plan(() => Response.json(job({}), { headers: { 'retry-after': '30' } }));
  const stopping = new AbortController();
  const pauses = replacePauses(() => {});
  const waiting = client.exports.wait(7, { signal: stopping.signal });
  await until(() => pauses.length > 0);
  stopping.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect([line.calls.length, pauses.map(({ ms }) => ms)]).toEqual([1, [30_000]]);
});

test('wait for an export that fails or is canceled: an error with the reason', async () => {
  states = [{ status: 'failed', error: { code: 'internal-error', detail: 'Five attempts failed.' } }];
  await expect(client.exports.wait(7)).rejects.toMatchObject({
    code: 'export-failed',
    message: 'export-failed: Five attempts failed.',
  });
  states = [{ status: 'canceled' }];
  await expect(client.exports.wait(7)).rejects.toMatchObject({ code: 'export-canceled' });
});

test('download: the token is sent to the service, and not to storage', async () => {
  await text(await client.exports.download(7));
  expect(storageRequests.map(({ authorization }) => authorization)).toEqual([undefined]);
  const sent = line.calls.map(({ path, headers }) => [path, headers.get('authorization')]);
  expect(sent).toEqual([
    ['/v1/exports/7', 'Bearer secret'],
    ['/v1/exports/7/file', 'Bearer secret'],
    ['/file?signature=s', null],
  ]);
});

test('download in a browser, which hides the target of a redirect: fetch follows it without the token', async () => {
  const hidden = Object.defineProperties(new Response(null), {
    type: { value: 'opaqueredirect' },
    status: { value: 0 },
    ok: { value: false },
  });
  line.plan(({ path, init }) => (path.endsWith('/file') && init.redirect === 'manual' ? hidden : undefined));
  expect(await text(await client.exports.download(7))).toBe(FILE.toString());
  expect(storageRequests.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test.each([
  ['with one wrong byte', () => Buffer.concat([Buffer.from('X'), FILE.subarray(1)])],
  ['without its last byte', () => FILE.subarray(0, -1)],
  ['that is empty', () => Buffer.alloc(0)],
])('a file %s: the stream fails at its end with checksum-mismatch', async (_, bytes) => {
  stored = bytes();
  const stream = await client.exports.download(7);
  await expect(text(stream)).rejects.toMatchObject({ name: 'InvoicingError', code: 'checksum-mismatch' });
});

test('a download that breaks off: an InvoicingError with network-error', async () => {
  isCutOff = true;
  const stream = await client.exports.download(7);
  await expect(text(stream)).rejects.toMatchObject({ name: 'InvoicingError', code: 'network-error' });
});

test('a download: passes on bytes as they arrive, and can be canceled', async () => {
  const reader = (await client.exports.download(7)).getReader();
  const { value, done } = await reader.read();
  expect([done, (value?.length ?? 0) > 0]).toEqual([false, true]);
  await reader.cancel();
});

test('a download that fails before its first byte: sent again; an aborted signal ends it', async () => {
  line.plan(({ path }, before) => (path.startsWith('/file') && before < 4 ? 'never-sent' : undefined));
  expect(await text(await client.exports.download(7))).toBe(FILE.toString());
  const stopping = new AbortController();
  const stream = await client.exports.download(7, { signal: stopping.signal });
  stopping.abort(new Error('enough'));
  await expect(text(stream)).rejects.toThrow('enough');
});

test('download without a file: the service’s problem, or an error with the status of storage', async () => {
  states = [{ status: 'running' }];
  line.plan(({ path }) => (path.endsWith('/file') ? problem(409, 'export-not-ready') : undefined));
  await expect(client.exports.download(7)).rejects.toMatchObject({ code: 'export-not-ready', status: 409 });
  line.plan(({ path }) => (path.startsWith('/file') ? new Response('expired', { status: 403 }) : undefined));
  await expect(client.exports.download(7)).rejects.toMatchObject({ code: 'unexpected-answer', status: 403 });
});
