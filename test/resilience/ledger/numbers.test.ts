import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { injectFaults, type Plan } from '#test/support/faults/faults.ts';
import fc from '#test/support/random/fast-check.ts';
import type { Answer } from '#test/support/service/client.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { type Call, linearize } from './linearizability.ts';

/*
 * Several clients at once on one number series, with injected faults: a register that only invoices and credit notes with a
 * number increment must explain the responses (CONTRACT §4). `SEED=… npm test -- test/resilience/ledger/numbers` repeats the requests, but not
 * the interleaving.
 */

const HISTORIES = extent({ full: 60, part: 3 });
const CLIENTS = 4;
const CALLS = 5;

/** `create` and `open` an invoice and `credit` one take a number, `dry` and `refused` take none. */
type Input = 'create' | 'open' | 'credit' | 'dry' | 'refused' | 'read';
/** The number of the invoice or credit note, or the last number of the series; null without a number. */
type Output = number | null;

/** The sequential specification: the state is the last number, or null. */
const specification = (state: Output, input: Input): { state: Output; output: Output } => {
  if (input === 'read') return { state, output: state };
  if (input === 'dry' || input === 'refused') return { state, output: null };
  const number = (state ?? 0) + 1;
  return { state: number, output: number };
};

const chance = chances(SEED);

const faultPlan: Plan = ({ command }) => {
  const random = chance();
  if (random < 0.03) return 'crash-after';
  if (random < 0.05) return 'crash-before';
  if (random < 0.08) return 'throttling';
  if (/^(Get|BatchGet|Query)/.test(command)) return undefined;
  if (random < 0.2) return 'conflict';
  return random < 0.3 ? 'lost-response' : undefined;
};

const service = await startService();
await retryWithoutDelay(service.client);
const faults = injectFaults(service.client);
afterEach(() => faults.plan());
afterAll(() => service.stop());

const post = (target: string, body: object, key: string): Promise<Answer> =>
  service.send(target, { method: 'POST', body, headers: { 'idempotency-key': key } });

const input = fc.constantFrom<Input>('create', 'open', 'credit', 'credit', 'dry', 'refused', 'read');
const scripts = fc.array(fc.array(input, { minLength: CALLS, maxLength: CALLS }), {
  minLength: CLIENTS,
  maxLength: CLIENTS,
});

const isUnknown = ({ status, json }: Answer) => status >= 500 || json.code === 'request-in-progress';

/** Runs all clients at the same time, and records each request and its output, with the order of starts and ends. */
const record = async (clients: readonly (readonly Input[])[]): Promise<Call<Input, Output>[]> => {
  const taken = randomUUID();
  const prefix = `${taken.slice(0, 8).toUpperCase()}-`;
  const { id: series_id } = (await post('/v1/number-series', { prefix }, randomUUID())).json;
  await post('/v1/invoices', { external_id: taken }, randomUUID());
  const draft = async () => (await post('/v1/invoices', { series_id, status: 'draft' }, randomUUID())).json.id;
  const prepare = async (kind: Input): Promise<(key: string) => Promise<Answer>> => {
    if (kind === 'read') return () => service.send(`/v1/number-series/${series_id}`);
    if (kind === 'dry') return (key) => post('/v1/invoices?dry_run=true', { series_id }, key);
    if (kind === 'refused') return (key) => post('/v1/invoices', { series_id, external_id: taken }, key);
    if (kind === 'create') return (key) => post('/v1/invoices', { series_id }, key);
    if (kind === 'credit') {
      const { id: invoice_id } = (await post('/v1/invoices', { total_cents: 1 }, randomUUID())).json;
      return (key) => post('/v1/credit-notes', { invoice_id, series_id }, key);
    }
    const target = `/v1/invoices/${await draft()}`;
    return (key) =>
      service.send(target, { method: 'PATCH', body: { status: 'open' }, headers: { 'idempotency-key': key } });
  };
  const toOutput = (kind: Input, { json }: Answer): Output => {
    if (kind === 'read') return json.last_number;
    if (kind === 'refused') expect(json.code).toBe('already-taken');
    return json.number ? Number(json.number.slice(prefix.length)) : null;
  };
  const prepared = await Promise.all(
    clients.map((inputs) => Promise.all(inputs.map(async (kind) => ({ kind, send: await prepare(kind) })))),
  );
  const history: Call<Input, Output>[] = [];
  let now = 0;
  const call = async ({ kind, send }: (typeof prepared)[number][number]) => {
    const key = randomUUID();
    const start = ++now;
    let answer = await send(key);
    // Half of the clients repeat a request of which they do not know the outcome, the other half gives up.
    while (isUnknown(answer) && chance() < 0.5) answer = await send(key);
    history.push({ input: kind, output: isUnknown(answer) ? undefined : toOutput(kind, answer), start, end: ++now });
  };
  faults.plan(faultPlan);
  await Promise.all(
    prepared.map(async (calls) => {
      for (const one of calls) await call(one);
    }),
  );
  faults.plan();
  await call({ kind: 'read', send: await prepare('read') });
  return history;
};

test(`${HISTORIES} histories of ${CLIENTS} clients that issue invoices and credit notes: a register explains each number [CONTRACT §4]`, async () => {
  let taken = 0;
  for (const script of fc.sample(scripts, HISTORIES)) {
    const history = await record(script);
    taken += Math.max(...history.map(({ output }) => output ?? 0));
    if (!linearize<Output, Input, Output>(history, null, specification, Object.is))
      throw new Error(`SEED=${SEED}: no order of the requests explains ${JSON.stringify(history)}`);
  }
  expect(taken).toBeGreaterThan(HISTORIES);
  await checkInvariants(service);
});
