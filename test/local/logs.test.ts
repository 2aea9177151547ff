import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { currentRequest } from '#local/logs/current-request.ts';
import { formatLogs } from '#local/logs/terminal.ts';

/** Writes a text to a stream, and returns the printed text. */
const printed = (chunk: string, isTTY = false, target = '/v1/payments?dry_run=true'): string => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  formatLogs(stream);
  currentRequest.run({ method: 'POST', target }, () => stream.write(chunk));
  return stream.read()?.toString() ?? '';
};

/** Writes a record as the functions do. */
const record = (level: string, message: string, fields: object): string => {
  const time = '2026-11-22T12:00:00.000Z';
  const common = { level, message, timestamp: time, service: 'invoicing', request_id: 'r1' };
  return `${JSON.stringify({ ...common, ...fields })}\n`;
};

const PAYMENT = { route: 'POST /v1/payments', account: 'acct_1', milliseconds: 24.5, read_units: 1.5, write_units: 7 };

test('a request: one line with method, path, status, time, account and units', () => {
  expect(printed(record('INFO', 'request', { ...PAYMENT, status: 201 }))).toBe(
    'POST /v1/payments?dry_run=true 201 24.5 ms  acct_1  1.5 RRU  7 WRU\n',
  );
});

test.each([
  ['a replay', { status: 201, replayed: true }, '201 replay'],
  ['a dry run', { status: 200, dry_run: true }, '200 dry run'],
  ['a refused dry run', { status: 409, code: 'invoice-not-open', dry_run: true }, '409 invoice-not-open dry run'],
])('%s: marked after the status', (_, fields, expected) => {
  expect(printed(record('INFO', 'request', { ...PAYMENT, ...fields }))).toBe(
    `POST /v1/payments?dry_run=true ${expected} 24.5 ms  acct_1  1.5 RRU  7 WRU\n`,
  );
});

test('a webhook: one line with event, receiver, result, time, account and a later attempt', () => {
  const attempt = { account: 'acct_1', event_type: 'invoice.paid', origin: 'http://127.0.0.1:4100', milliseconds: 12 };
  const fields = { ...attempt, attempt: 2, status: 500, code: 'unexpected-status' };
  expect(printed(record('INFO', 'webhook attempt', fields))).toBe(
    'WEBHOOK invoice.paid → http://127.0.0.1:4100 500 unexpected-status 12 ms  acct_1  attempt 2\n',
  );
});

test.each([
  [201, 32],
  [303, 36],
  [404, 33],
  [500, 31],
])('the status %i on a terminal: has the color %i', (status, color) => {
  expect(printed(record('INFO', 'request', { ...PAYMENT, status }), true)).toContain(`\u001b[${color}m${status}`);
});

test('a message of a queue, a request for the issuer’s keys, and one of the demo data: not shown', () => {
  expect(printed(record('INFO', 'message', { message_id: 'm1', done: true }))).toBe('');
  const line = record('INFO', 'request', { ...PAYMENT, status: 200 });
  expect(printed(line, false, '/.well-known/jwks.json')).toBe('');
  const stream = new PassThrough();
  formatLogs(stream as never);
  stream.write(line);
  expect(stream.read()).toBeNull();
});

test('an error: its stack without the frames of Node and of packages, and its cause', () => {
  const { cwd } = process;
  const stack = [
    'TypeError: no such thing',
    `    at Object.handle (${cwd()}/functions/payments/create.ts:15:24)`,
    `    at invoke (file://${cwd()}/local/gateway/invoke.ts:55:24)`,
    `    at runRequest (${cwd()}/node_modules/@middy/core/index.js:219:25)`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)',
  ].join('\n');
  const cause = { name: 'Error', message: 'the reason', stack: 'Error: the reason' };
  const error = { name: 'TypeError', message: 'no such thing', stack, cause };
  expect(printed(record('ERROR', 'request failed', { route: 'POST /v1/payments', error }))).toBe(
    [
      'ERROR request failed request_id=r1 route=POST /v1/payments',
      'TypeError: no such thing',
      '    at Object.handle (functions/payments/create.ts:15:24)',
      '    at invoke (local/gateway/invoke.ts:55:24)',
      'Caused by Error: the reason\n',
    ].join('\n'),
  );
});

test('a log record of another kind: prints its message, then its fields', () => {
  expect(printed(record('INFO', 'sealed', { rows: 12, wrong: 0 }))).toBe('sealed request_id=r1 rows=12 wrong=0\n');
});

test.each(['ready http://127.0.0.1:3000\n', '{"level":\n', '{"levels":1}\n'])(
  'a text that is no record, %j: unchanged',
  (text) => {
    expect(printed(text)).toBe(text);
  },
);
