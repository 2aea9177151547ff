import type { Operation } from '#shared/platform/http/endpoint.ts';
import { type Origins, parseOrigins } from '#shared/platform/http/origins.ts';
import type { PipelineDependencies } from '#shared/platform/http/pipeline/serve.ts';
import type { Binding } from '#shared/platform/http/pipeline/steps/step.ts';
import { createMemory, entryOf, Limiter } from '#shared/platform/limits/limiter.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { operations } from '#test/support/requests/requests.ts';

export const ORIGIN = 'https://app.example';

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
export const bindingOf = (endpoint: Operation): Binding<Operation, PipelineDependencies> => ({
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
