import { expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import { declarationsOf, listOf } from '#shared/openapi/declarations.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { parseOrigins } from '#shared/platform/http/origins.ts';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#shared/platform/http/pipeline/cors.ts';
import { finish } from '#shared/platform/http/pipeline/finish.ts';
import { RETRY_STATUSES } from '#shared/platform/http/pipeline/problem.ts';
import { operationSteps, type PipelineDependencies, receive } from '#shared/platform/http/pipeline/serve.ts';
import { authenticate, authorize } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Binding, type Declaration, steps, type Versioned } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { CATALOGUE, type ProblemType } from '#shared/vocabulary.ts';
import { operations, request } from '#test/support/requests/requests.ts';
import type { Sent } from '#test/support/service/client.ts';
import { eventOf } from '#test/support/service/event.ts';

const verify = async (token: string) => {
  if (token === 'bad') throw new ProblemError('unauthenticated');
  const scopes = new Set(operations.map(([, { scope }]) => scope));
  return { sub: 'user_1', account: 'acct_1', role: undefined, scopes, expires: 0 };
};

const DEPENDENCIES = {
  verify,
  telemetry: { log: () => {}, warn: () => {}, fault: () => {}, count: () => {} },
  corsOrigins: parseOrigins(['https://app.example']),
  deprecations: {},
  idempotencyHours: 24,
  settings: { webhookAddresses: { allowsLocal: false } },
};

const IDS = new Proxy<Record<string, number>>({}, { get: () => 1 });

/** A valid request, a body of another type, an invalid token, and a preflight. */
const CHANGES: readonly Sent[] = [
  {},
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { authorization: 'Bearer bad' } },
  { method: 'OPTIONS', headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' } },
];

const STEPS = operationSteps().list;

/** The headers that the steps and the end of the response read, as `<step> <header>`. */
const readsOf = async (endpoint: Operation): Promise<string[]> => {
  const reads = new Set<string>();
  const binding = { ...DEPENDENCIES, endpoint } as unknown as Binding<Operation, PipelineDependencies>;
  const context = lambdaContext('test', LAMBDA_DEFAULTS);
  for (const change of CHANGES) {
    const { target, sent } = request(endpoint, 'v1', IDS);
    const headers = { authorization: 'Bearer good', ...sent.headers, ...change.headers };
    const event = receive(eventOf(target, { ...sent, ...change, headers }, {}), context, endpoint);
    let current = '';
    const get = (all: object, name: string | symbol) => {
      reads.add(`${current} ${String(name).toLowerCase()}`);
      return Reflect.get(all, name);
    };
    const observed = Object.assign(event, { headers: new Proxy(event.headers, { get }) });
    const middyRequest = { event: observed, context, response: undefined, error: null, internal: {} };
    let error: unknown;
    try {
      for (const step of STEPS) {
        current = step.name;
        if ('run' in step) Object.assign(observed, await step.run(observed as never, binding));
        else await step.middleware(endpoint)?.before?.(middyRequest);
      }
    } catch (problem) {
      if (!(problem instanceof ProblemError)) throw problem;
      error = problem;
    }
    current = 'finish';
    finish.run({ request: observed, response: { statusCode: 200, headers: {} }, error }, binding);
  }
  return [...reads].sort();
};

// Responses with a status, a code or a header that no step declares fail in the full extents of test/behaviour.
test.each(operations)('%s: each step reads the headers that it declares, and no other header', async (_, operation) => {
  const all: readonly Declaration<Operation>[] = [finish, ...STEPS];
  const declared = all.flatMap((step) =>
    listOf(step.reads, operation).map((header) => `${step.name} ${header.toLowerCase()}`),
  );
  expect(await readsOf(operation)).toEqual(declared.sort());
});

test('a step that reads a member that no earlier step adds: does not compile', () => {
  const received = steps<Versioned, Operation, PipelineDependencies>();
  // @ts-expect-error `authorize` reads the caller, which `authenticate` adds
  expect(received.next(authorize).list).toEqual([authorize]);
  expect(received.next(authenticate).next(authorize).list).toEqual([authenticate, authorize]);
});

const every = Object.values(endpoints).map(declarationsOf);
const STATUSES = [200, 201, 202, 204, 303, 304, ...Object.values(CATALOGUE).map(({ status }) => status)];

test('CORS exposes every header that a step writes, except headers that scripts may always read, and headers of a 415 [CONTRACT §10]', () => {
  const written = new Set(every.flatMap(({ writes }) => STATUSES.flatMap(writes)));
  const always = ['Cache-Control', 'Vary'];
  // For people who write a request, not for scripts.
  const unexposed = [...always, 'Accept', 'Accept-Encoding', 'Accept-Patch'];
  // The fallback writes Allow.
  expect([...EXPOSED_HEADERS].sort()).toEqual([...written, 'Allow'].filter((name) => !unexposed.includes(name)).sort());
});

test('CORS allows every request header that a step reads, except headers that browsers and proxies set [CONTRACT §10]', () => {
  const read = new Set(every.flatMap(({ reads }) => reads));
  const setByOthers = [
    'Accept-Encoding',
    'Access-Control-Request-Headers',
    'Access-Control-Request-Method',
    'Content-Encoding',
    'Host',
    'Origin',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Shared-Cache',
  ];
  expect([...ALLOWED_HEADERS].sort()).toEqual([...read].filter((name) => !setByOthers.includes(name)).sort());
});

test('Retry-After: declared for exactly the statuses whose codes state when to retry', () => {
  const retried = Object.values(CATALOGUE).filter((type: ProblemType) => type.retryAfter !== undefined);
  expect([...RETRY_STATUSES]).toEqual([...new Set(retried.map(({ status }) => status))].sort());
});
