import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { countRefusals, currentInvocation, parseTrace, usageFields } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { LimitError } from './limit.ts';
import type { Step } from './step.ts';

/** Logs one line for each request and counts the metrics of the dashboard and the alarms. */
export const requestLog: Step<Endpoint, { readonly telemetry: Telemetry }> = {
  name: 'requestLog',
  reads: ['traceparent', 'tracestate'],
  before: ({ headers }) => {
    const current = currentInvocation();
    if (current) current.trace = parseTrace(headers['traceparent'], headers['tracestate']);
  },
  after: ({ event, response, error }, { endpoint, telemetry }) => {
    const current = currentInvocation();
    if (!current) return;
    const failure = error instanceof ProblemError ? error.code : 'internal-error';
    const code = error ? failure : undefined;
    const isReplay = response.headers['idempotent-replayed'] === 'true';
    // Of the values that clients send, the line contains only the ids of the account and the trace.
    telemetry.log('request', {
      request_id: event.requestId,
      route: event.routeKey,
      account: event.caller?.account,
      status: response.statusCode,
      code,
      runs: event.attempts,
      replayed: isReplay || undefined,
      dry_run: event.isDryRun || undefined,
      budget_left: event.budgetLeft,
      ...usageFields(current),
    });
    if (isReplay) telemetry.count('IdempotencyReplays');
    if (code === 'idempotency-key-reused') telemetry.count('IdempotencyMismatches');
    if (error instanceof LimitError) telemetry.count('RequestsOverLimit');
    countRefusals(current, telemetry);
    // Counts money when it is committed. A replayed response is not counted again.
    const { amount } = event;
    if ('metric' in endpoint && endpoint.metric && amount)
      telemetry.count(endpoint.metric, amount.amount, amount.currency);
  },
};
