import type { Endpoint } from '#shared/platform/endpoint.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import {
  countRefusals,
  currentInvocation,
  type Invocation,
  usageFields,
} from '#shared/platform/telemetry/invocation.ts';
import type { LogFields, Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { parseTrace } from '#shared/platform/telemetry/trace.ts';
import { LimitError } from './limit.ts';
import type { Outgoing, Step } from './step.ts';

/** Logs one line for each request and counts the metrics of the dashboard and the alarms. */
export const requestLog: Step<Endpoint, { readonly telemetry: Telemetry }> = {
  name: 'requestLog',
  reads: ['traceparent', 'tracestate'],
  before: ({ headers }) => {
    const current = currentInvocation();
    if (current) current.trace = parseTrace(headers['traceparent'], headers['tracestate']);
  },
  after: (outgoing, { endpoint, telemetry }) => {
    const current = currentInvocation();
    if (!current) return;
    telemetry.log('request', toLogLine(outgoing, current));
    recordMetrics(outgoing, current, endpoint, telemetry);
  },
};

const codeOf = ({ error }: Outgoing): string | undefined => {
  if (!error) return undefined;
  return error instanceof ProblemError ? error.code : 'internal-error';
};

const isReplay = ({ response }: Outgoing): boolean => response.headers['idempotent-replayed'] === 'true';

/** Of the values that clients send, the line contains only the ids of the account and the trace. */
const toLogLine = (outgoing: Outgoing, current: Invocation): LogFields => ({
  request_id: outgoing.event.requestId,
  route: outgoing.event.routeKey,
  account: outgoing.event.caller?.account,
  status: outgoing.response.statusCode,
  code: codeOf(outgoing),
  runs: outgoing.event.attempts,
  replayed: isReplay(outgoing) || undefined,
  dry_run: outgoing.event.isDryRun || undefined,
  budget_left: outgoing.event.budgetLeft,
  ...usageFields(current),
});

/** Counts money when it is committed. A replayed response is not counted again. */
const recordMetrics = (outgoing: Outgoing, current: Invocation, endpoint: Endpoint, telemetry: Telemetry): void => {
  if (isReplay(outgoing)) telemetry.count('IdempotencyReplays');
  if (codeOf(outgoing) === 'idempotency-key-reused') telemetry.count('IdempotencyMismatches');
  if (outgoing.error instanceof LimitError) telemetry.count('RequestsOverLimit');
  countRefusals(current, telemetry);
  const { amount } = outgoing.event;
  if ('metric' in endpoint && endpoint.metric && amount)
    telemetry.count(endpoint.metric, amount.amount, amount.currency);
};
