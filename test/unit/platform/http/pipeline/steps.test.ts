import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { lambdaContext } from '#local/gateway/invoke.ts';
import { declarationsOf, listOf } from '#shared/openapi/declarations.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { type Origins, parseOrigins } from '#shared/platform/http/origins.ts';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#shared/platform/http/pipeline/cors.ts';
import { finish } from '#shared/platform/http/pipeline/finish.ts';
import { problems, RETRY_STATUSES, toResponse } from '#shared/platform/http/pipeline/problem.ts';
import { operationSteps, type PipelineDependencies, receive } from '#shared/platform/http/pipeline/serve.ts';
import { type Authenticated, authenticate, authorize } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Binding, type Declaration, steps, type Versioned } from '#shared/platform/http/pipeline/steps/step.ts';
import type { WithParameters } from '#shared/platform/http/pipeline/steps/validate.ts';
import { createMemory, entryOf, Limiter } from '#shared/platform/limits/limiter.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { runInvocation } from '#shared/platform/telemetry/invocation.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { CATALOGUE, type ProblemType } from '#shared/vocabulary.ts';
import { operations, request } from '#test/support/requests/requests.ts';
import type { Sent } from '#test/support/service/client.ts';
import { eventOf } from '#test/support/service/event.ts';

const ORIGIN = 'https://app.example';

const ACCOUNT = 'acct_1';
/** An account that has used its budget. */
const LIMITED = 'acct_limited';

const limiterOf = (): Limiter => {
  const memory = createMemory();
  const now = Date.now();
  for (const account of [ACCOUNT, LIMITED]) entryOf(memory, account).seenAt = now;
  entryOf(memory, LIMITED).refusedUntil = now + 60_000;
  const charge = async () => ({ arrivalTime: now, wasBusy: false, isCharged: true });
  return new Limiter({ rate: 100, counter: { read: async () => now, charge }, memory, onUncounted: () => {} });
};

/** Accepts `all` and `limited` (every scope), `own` (the operation's) and `none` (no scope); rejects `bad` and `down`. */
const verify = (operation: Operation) => async (token: string) => {
  if (token === 'bad') throw new ProblemError('unauthenticated');
  if (token === 'down') throw new ProblemError('unavailable');
  const all = operations.map(([, { scope }]) => scope);
  const scopes = new Set(token === 'none' ? [] : token === 'own' ? [operation.scope] : all);
  const account = token === 'limited' ? LIMITED : ACCOUNT;
  return { sub: 'user_1', account, role: undefined, scopes, expires: 0 };
};

const unused = (): never => {
  throw new Error('No step calls the stores.');
};

/** An operation with dependencies for the steps before its handler. */
const bindingOf = (endpoint: Operation): Binding<Operation, PipelineDependencies> => ({
  endpoint,
  verify: verify(endpoint),
  telemetry: { log: () => {}, warn: () => {}, fault: () => {}, count: () => {} },
  corsOrigins: parseOrigins([ORIGIN]) as Origins,
  deprecations: {
    v1: { deprecated: new Date(0), sunset: new Date(0) },
    v2: { deprecated: new Date(0), sunset: new Date(0) },
  },
  stores: unused,
  commit: unused,
  findRecord: unused,
  findChanged: unused,
  backoff: unused,
  permitFor: unused,
  limiter: limiterOf(),
  idempotencyHours: 24,
  settings: { webhookAddresses: { allowsLocal: false } },
});

const IDS = new Proxy<Record<string, number>>({}, { get: () => 1 });

type Change = Sent & { readonly query?: string; readonly id?: string };

/** Changes of a valid request. Each makes it invalid for some operations. */
const CHANGES: readonly Change[] = [
  {},
  { headers: { authorization: undefined } },
  { headers: { authorization: 'Bearer bad' } },
  { headers: { authorization: 'Bearer down' } },
  { headers: { authorization: 'Bearer none' } },
  { headers: { authorization: 'Bearer limited' } },
  { headers: { authorization: 'Bearer own' }, query: 'expand=customer,invoice,payment' },
  { headers: { 'content-encoding': 'gzip' } },
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { headers: { 'content-type': 'application/json' }, body: 'x' },
  { headers: { 'content-type': 'application/json' }, body: Buffer.of(0xff) },
  { headers: { 'content-type': 'application/json' }, body: '{"__proto__":1}' },
  { headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(300_000)}"` },
  { headers: { 'idempotency-key': undefined } },
  { headers: { 'idempotency-key': 'x y' } },
  { headers: { 'if-match': '1' } },
  { headers: { 'if-match': '"1"' } },
  { query: '%' },
  { query: 'misspelt=1' },
  { query: 'after=x' },
  { id: 'abc' },
  { method: 'OPTIONS', headers: { origin: ORIGIN, 'access-control-request-method': 'GET' } },
];

const contextOf = (operation: Operation, version: Version, { query = '', id = '1', ...change }: Change): Request => {
  const { target, sent } = request(operation, version, IDS);
  const headers = { authorization: 'Bearer all', ...sent.headers, ...change.headers };
  const parameters = [...target.matchAll(/\/1(?=\/|$)/g)].map((_, i) => [`id_${i}`, id]);
  const event = eventOf(`${target}?${query}`, { ...sent, ...change, headers }, Object.fromEntries(parameters));
  return { ...receive(event, lambdaContext('test', LAMBDA_DEFAULTS), operation), apiVersion: version };
};

/** The observed effects of the steps: `<step> <header>`, `<step> <code>` and `<status> <header>`. */
class Observations {
  /** The current step. */
  step = '';
  readonly reads = new Set<string>();
  readonly refuses = new Set<string>();
  readonly writes = new Set<string>();

  watch(headers: Request['headers']): Request['headers'] {
    const get = (target: object, name: string) => {
      this.reads.add(`${this.step} ${name.toLowerCase()}`);
      return Reflect.get(target, name);
    };
    return new Proxy(headers, { get: (target, name) => get(target, String(name)) });
  }
}

/** A request with the members that steps have added. */
type Request = Versioned & Partial<Authenticated & WithParameters>;

const STEPS = operationSteps().list;

/** Passes a request through the steps up to the handler, and checks If-Match against version 2. */
const enter = async (binding: Binding<Operation, PipelineDependencies>, request: Request, observed: Observations) => {
  const context = lambdaContext('test', LAMBDA_DEFAULTS);
  const middyRequest = { event: request, context, response: undefined, error: null, internal: {} };
  try {
    for (const step of STEPS) {
      observed.step = step.name;
      if ('run' in step) Object.assign(request, await step.run(request as never, binding));
      else await step.middleware(binding.endpoint)?.before?.(middyRequest);
    }
    observed.step = 'parameters';
    if (binding.endpoint.hasId) request.checkPreconditions?.({ id: 1, version: 2, created_at: '', updated_at: '' });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    observed.refuses.add(`${observed.step} ${error.code}`);
    return error;
  }
  return undefined;
};

/** Ends the response to a request. */
const leave = (
  binding: Binding<Operation, PipelineDependencies>,
  request: Request,
  error: unknown,
  observed: Observations,
) => {
  observed.step = 'finish';
  const ok: GatewayResult = { statusCode: 200, headers: {} };
  const response = error ? toResponse(error, request, binding.endpoint) : ok;
  finish.run({ request, response, error }, binding);
  for (const header of Object.keys(response.headers)) observed.writes.add(`${response.statusCode} ${header}`);
};

const observe = async (operation: Operation): Promise<Observations> => {
  const observed = new Observations();
  const binding = bindingOf(operation);
  for (const version of VERSIONS) {
    for (const change of CHANGES.flatMap((one) => [one, { ...one, query: `dry_run=true&${one.query ?? ''}` }])) {
      const event = contextOf(operation, version, change);
      const watched = Object.assign(event, { headers: observed.watch(event.headers) });
      await runInvocation(async () => {
        const error = await enter(binding, watched, observed);
        leave(binding, watched, error, observed);
        // The fault of a handler.
        if (!error) leave(binding, watched, new ProblemError('unavailable'), observed);
      });
    }
  }
  return observed;
};

/** Headers of the transfer and of CORS, which the document omits. */
const UNDOCUMENTED = /^\d+ (content-type|allow|x-content-type-options|vary|access-control-.*)$/;

describe.each(operations)('%s', (_, operation) => {
  const all: readonly Declaration<Operation>[] = [finish, ...STEPS, problems];
  const declared = all.map((step) => ({
    name: step.name,
    reads: listOf(step.reads, operation),
    refuses: listOf(step.refuses, operation),
    writes: (status: number) => listOf(step.writes, operation, status),
  }));

  test('each step reads, refuses and writes only what it declares', async () => {
    const observed = await observe(operation);
    const reads = declared.flatMap(({ name, reads }) => reads.map((header) => `${name} ${header.toLowerCase()}`));
    expect([...observed.reads].sort()).toEqual(reads.sort());

    const refuses = declared.flatMap(({ name, refuses }) => refuses.map((code) => `${name} ${code}`));
    expect([...observed.refuses].sort()).toEqual(refuses.filter((one) => !one.startsWith('problems ')).sort());

    const statuses = [...new Set([...observed.writes].map((one) => Number(one.split(' ')[0])))];
    const writes = declared.flatMap(({ writes }) =>
      statuses.flatMap((status) => writes(status).map((header) => `${status} ${header.toLowerCase()}`)),
    );
    // In the document, the Vary header of CORS belongs to the problems.
    const isDocumented = (one: string) => !UNDOCUMENTED.test(one);
    expect([...observed.writes].filter(isDocumented).sort()).toEqual(writes.filter(isDocumented).sort());
  });
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
