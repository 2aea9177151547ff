import type { Endpoint } from '#shared/platform/endpoint.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Invocation, invocation, usageFields } from '#shared/platform/telemetry/invocation.ts';
import type { Fields, Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { traceOf } from '#shared/platform/telemetry/trace.ts';
import type { Outgoing, Step } from './step.ts';

/** Logs one line for each request, and counts what the operator's dashboard and alarms show. */
export const requestLog: Step<Endpoint, { readonly telemetry: Telemetry }> = {
  name: 'requestLog',
  reads: ['traceparent', 'tracestate'],
  before: ({ headers }) => {
    const present = invocation();
    if (present) present.trace = traceOf(headers['traceparent'], headers['tracestate']);
  },
  after: (answered, { endpoint, telemetry }) => {
    const present = invocation();
    if (!present) return;
    telemetry.log('request', toLogLine(answered, present));
    count(answered, present, endpoint, telemetry);
  },
};

const codeOf = ({ error }: Outgoing): string | undefined => {
  if (!error) return undefined;
  return error instanceof ProblemError ? error.code : 'internal-error';
};

const isReplay = ({ response }: Outgoing): boolean => response.headers['idempotent-replayed'] === 'true';

/** The one line of a request, without anything that a client sent but the ids of its account and trace. */
const toLogLine = (answered: Outgoing, present: Invocation): Fields => ({
  request_id: answered.event.requestId,
  route: answered.event.routeKey,
  account: answered.event.caller?.account,
  status: answered.response.statusCode,
  code: codeOf(answered),
  runs: answered.event.attempts,
  replayed: isReplay(answered) || undefined,
  ...usageFields(present),
});

/** What of a request is counted; the money once it is committed, so not again when the answer is replayed. */
const count = (answered: Outgoing, { usage }: Invocation, endpoint: Endpoint, telemetry: Telemetry): void => {
  if (isReplay(answered)) telemetry.count('IdempotencyReplays');
  if (codeOf(answered) === 'idempotency-key-reused') telemetry.count('IdempotencyMismatches');
  if (usage.conflicts > 0) telemetry.count('TransactionConflicts', usage.conflicts);
  if (usage.throttles > 0) telemetry.count('TableThrottles', usage.throttles);
  const { amount } = answered.event;
  if ('metric' in endpoint && endpoint.metric && amount)
    telemetry.count(endpoint.metric, amount.amount, amount.currency);
};
