import type { IncomingMessage } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { camelCase, type Operations } from '#client/source/collection.ts';
import { createClient, InvoicingError } from '#client/source/index.ts';
import { OPERATIONS } from '#client/source/operations.ts';
import { startHttpServer } from './serve-api.ts';

// A server that is not the service: a proxy with a login page, a maintenance page, or the fallback page of a web app.

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request of the client. */
interface Operation {
  readonly method: string;
  readonly status: number;
  readonly isList?: boolean;
  /** With `fields`, so the resource may lack its id. */
  readonly isSelection?: boolean;
  readonly call: () => PromiseLike<unknown>;
}

type Method = (...args: readonly unknown[]) => PromiseLike<unknown>;

const HTML = '<!doctype html><title>Sign in</title>';
const JSON_TYPE = { 'content-type': 'application/json' };

let answer: (request: IncomingMessage) => Answer;
let requests: string[];
const server = await startHttpServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  const { status, headers, body } = answer(request);
  response.writeHead(status, headers).end(body);
});
afterAll(() => {
  server.server.close();
});
beforeEach(() => {
  requests = [];
});

const client = createClient({ baseUrl: server.url, token: 'x' }) as unknown as Record<string, Record<string, Method>>;
const METHODS = { list: 'GET', get: 'GET', create: 'POST', patch: 'PATCH', replace: 'PUT', delete: 'DELETE' } as const;

const readsOf = (collection: Record<string, Method>, name: string, { list, get }: { list: number; get: number }) => ({
  [`${name}.list`]: { method: 'GET', status: list, isList: true, call: async () => await collection['list']?.() },
  [`${name}.get`]: { method: 'GET', status: get, call: async () => collection['get']?.(1) },
  [`${name}.get with fields`]: {
    ...{ method: 'GET', status: get, isSelection: true },
    call: async () => collection['get']?.(1, { fields: ['created_at'] }),
  },
});

/** Every operation of the client's table. */
const operations: Readonly<Record<string, Operation>> = Object.assign(
  {},
  ...Object.entries<Operations>(OPERATIONS).map(([path, { statuses, actions, lists }]) => {
    const name = camelCase(path);
    const collection = client[name] as Record<string, Method>;
    const writes = Object.entries(statuses).filter(([one]) => one in METHODS && one !== 'list' && one !== 'get');
    return {
      ...readsOf(collection, name, statuses),
      ...Object.fromEntries(
        writes.map(([one, status]) => {
          const args = one === 'create' ? [{}] : [1, {}];
          const method = METHODS[one as keyof typeof METHODS];
          return [`${name}.${one}`, { method, status, call: async () => collection[one]?.(...args) }];
        }),
      ),
      ...Object.fromEntries(
        Object.entries(actions).map(([one, { status, hasBody }]) => {
          const args = hasBody ? [1, {}] : [1];
          const call = async () => collection[camelCase(one)]?.(...args);
          return [`${name}.${camelCase(one)}`, { method: 'POST', status, call }];
        }),
      ),
      ...Object.assign(
        {},
        ...Object.entries(lists).map(([one, below]) => {
          const nested = collection[camelCase(one)]?.(1) as unknown as Record<string, Method>;
          return readsOf(nested, `${name}.${camelCase(one)}`, below);
        }),
      ),
    };
  }),
);

const hasBody = ({ status }: Operation) => status !== 204;

const declaredAnswer = ({ status, isList }: Operation): Answer =>
  status === 204
    ? { status }
    : { status, headers: JSON_TYPE, body: JSON.stringify(isList ? { data: [], next_cursor: null } : { id: 1 }) };

const redirectsWith = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    [300, 301, 302, 303, 307, 308].map((status) => [
      `a ${status} ${'location' in headers ? 'with' : 'without'} Location`,
      () => ({ status, headers }),
    ]),
  );

/** Answers that an operation does not declare; undefined where the operation declares the answer. */
const ODD: Readonly<Record<string, (operation: Operation) => Answer | undefined>> = {
  '200 with a page': () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML }),
  'the declared status with a page': (one) =>
    hasBody(one) ? { status: one.status, headers: { 'content-type': 'text/html' }, body: HTML } : undefined,
  '200 with text': () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }),
  'the declared body as text': (one) =>
    hasBody(one) ? { ...declaredAnswer(one), headers: { 'content-type': 'text/plain' } } : undefined,
  'the declared body without a type': (one) => (hasBody(one) ? { ...declaredAnswer(one), headers: {} } : undefined),
  'the declared body as a problem': (one) =>
    hasBody(one) ? { ...declaredAnswer(one), headers: { 'content-type': 'application/problem+json' } } : undefined,
  '204 where a body is declared': (one) => (hasBody(one) ? { status: 204 } : undefined),
  '200 with a body where 204 is declared': (one) =>
    hasBody(one) ? undefined : { status: 200, headers: JSON_TYPE, body: '{"id":1}' },
  'an empty 200': () => ({ status: 200 }),
  'the declared status with an empty body': (one) =>
    hasBody(one) ? { status: one.status, headers: JSON_TYPE } : undefined,
  'the declared body with another 2xx': (one) => ({ ...declaredAnswer({ ...one, status: 299 }), status: 299 }),
  ...Object.fromEntries(
    ['{"id":1', '[]', '[{"id":1}]', '"id"', '1', 'true', 'null', HTML].map((body) => [
      `the body ${body} as JSON`,
      (one: Operation) => (hasBody(one) ? { status: one.status, headers: JSON_TYPE, body } : undefined),
    ]),
  ),
  ...Object.fromEntries(
    ['{}', '{"data":null}', '{"data":{"length":0}}', '{"data":"[]"}'].map((body) => [
      `a list ${body}`,
      (one: Operation) => (one.isList ? { status: one.status, headers: JSON_TYPE, body } : undefined),
    ]),
  ),
  'a resource without an id': (one) =>
    one.isList || one.isSelection || !hasBody(one)
      ? undefined
      : { status: one.status, headers: JSON_TYPE, body: '{"message":"Maintenance"}' },
  ...redirectsWith({ location: `${server.url}/elsewhere` }),
  ...redirectsWith({}),
};

const errorOf = (call: () => PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call()).then(
    (value) => ({ resolved: value }),
    (reason: unknown) => reason,
  );

/** Answers `/elsewhere` as declared, so that a redirect that is followed succeeds, and any other path with the odd answer. */
const answerWith = (odd: Answer, operation: Operation) => {
  answer = ({ url }) => (url === '/elsewhere' ? declaredAnswer(operation) : odd);
};

test.each(Object.entries(operations))('%s: resolves with the answer that it declares', async (_, operation) => {
  answer = () => declaredAnswer(operation);
  const { body } = declaredAnswer(operation);
  expect(await operation.call()).toEqual(body && JSON.parse(body));
});

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"'])(
  'the type %s: is that of JSON',
  async (type) => {
    for (const operation of Object.values(operations).filter(hasBody)) {
      answer = () => ({ ...declaredAnswer(operation), headers: { 'content-type': type } });
      expect(await operation.call()).toBeInstanceOf(Object);
    }
  },
);

test.each(Object.entries(ODD))('%s: unexpected-answer for every operation, sent once', async (_, oddFor) => {
  let tried = 0;
  for (const [name, operation] of Object.entries(operations)) {
    const odd = oddFor(operation);
    if (!odd) continue;
    tried += 1;
    requests = [];
    answerWith(odd, operation);
    const error = await errorOf(operation.call);
    expect({ name, error }).toEqual({ name, error: expect.any(InvoicingError) });
    const { code, status, contentType, isUnsure, attempts } = error as InvoicingError;
    const isWrite = operation.method !== 'GET';
    expect({ name, code, status, contentType, isUnsure, attempts, requests: requests.length }).toEqual({
      name,
      code: 'unexpected-answer',
      status: odd.status,
      contentType: odd.headers?.['content-type'],
      isUnsure: isWrite,
      attempts: 1,
      requests: 1,
    });
  }
  expect(tried).toBeGreaterThan(0);
});

describe('calls of several requests', () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: HTML };
  const typed = createClient({ baseUrl: server.url, token: 'x' });

  test('an update of a page: the function is not called, and nothing is written', async () => {
    answer = () => page;
    const decided: unknown[] = [];
    const call = () => typed.customers.update(1, (current) => void decided.push(current));
    expect(await errorOf(call)).toMatchObject({ code: 'unexpected-answer', isUnsure: false });
    expect([decided, requests]).toEqual([[], ['GET /v1/customers/1']]);
  });

  test('a resource without an ETag: unexpected-answer, and no write with an empty If-Match', async () => {
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, etag: '' }]) {
      requests = [];
      answer = () => ({ status: 200, headers, body: '{"id":1}' });
      expect(await errorOf(() => typed.customers.update(1, { name: 'B' }))).toMatchObject({
        code: 'unexpected-answer',
        message:
          'unexpected-answer: expected 200 with a JSON object that has id and the header etag, got 200 with application/json (GET /v1/customers/1)',
      });
      expect(await errorOf(() => typed.customers.read(1))).toMatchObject({ code: 'unexpected-answer' });
      expect(requests).toEqual(Array(2).fill('GET /v1/customers/1'));
    }
  });

  test('a page instead of the updated resource: unexpected-answer, and not written again', async () => {
    answer = ({ method }) =>
      method === 'GET' ? { status: 200, headers: { ...JSON_TYPE, etag: '"1"' }, body: '{"id":1}' } : page;
    expect(await errorOf(() => typed.customers.update(1, { name: 'B' }))).toMatchObject({ isUnsure: true });
    expect(requests).toEqual(['GET /v1/customers/1', 'PATCH /v1/customers/1']);
  });

  test.each([
    ['200 with a page', page],
    ['303 without Location', { status: 303 }],
    ['303 with an empty Location', { status: 303, headers: { location: '' } }],
    ...[301, 302, 307, 308].map((status) => [`${status}`, { status, headers: { location: '/elsewhere' } }] as const),
  ])('%s instead of the redirect to a file: unexpected-answer, and not followed', async (_, odd) => {
    const job = { id: 1, status: 'completed', sha256: '0' };
    answer = ({ url }) =>
      url === '/v1/exports/1' ? { status: 200, headers: JSON_TYPE, body: JSON.stringify(job) } : odd;
    expect(await errorOf(() => typed.exports.download(1))).toMatchObject({
      code: 'unexpected-answer',
      isUnsure: false,
    });
    expect(requests).toEqual(['GET /v1/exports/1', 'GET /v1/exports/1/file']);
  });
});

test('a redirect in a browser, which hides its status: unexpected-answer for every operation', async () => {
  const hidden = Object.defineProperties(new Response(null), {
    type: { value: 'opaqueredirect' },
    status: { value: 0 },
    ok: { value: false },
  });
  const browser = createClient({ baseUrl: server.url, token: 'x', fetch: async () => hidden });
  expect(await errorOf(() => browser.payments.create({ invoice_id: 1, amount_cents: 1 }))).toMatchObject({
    code: 'unexpected-answer',
    status: undefined,
    isUnsure: true,
    attempts: 1,
    message: 'unexpected-answer: expected 201 with a JSON object that has id, got a redirect (POST /v1/payments)',
  });
});

test('an unexpected answer: the message states the expected and the received answer', async () => {
  answer = () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: HTML });
  for (const [name, message] of [
    ['payments.create', 'expected 201 with a JSON object that has id, got 200 with text/html (POST /v1/payments)'],
    ['customers.delete', 'expected 204, got 200 with text/html (DELETE /v1/customers/1)'],
    ['events.list', 'expected 200 with a JSON object that has data, got 200 with text/html (GET /v1/events)'],
  ] as const) {
    const error = await errorOf((operations[name] as Operation).call);
    expect(String(error)).toBe(`InvoicingError: unexpected-answer: ${message}`);
  }
});
