import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { Refusal } from '#shared/platform/problem.ts';
import { effort, type Invocation, invocation } from '#shared/platform/telemetry/invocation.ts';
import type { Fields, Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { traceOf } from '#shared/platform/telemetry/trace.ts';
import type { Exchange, Middleware } from './context.ts';

/** A request that was answered. */
interface Answered {
  readonly event: Exchange;
  readonly response: GatewayResult | null | undefined;
  readonly error: Error | null | undefined;
}

const codeOf = ({ error }: Answered): string | undefined => {
  if (!error) return undefined;
  return error instanceof Refusal ? error.code : 'internal-error';
};

const isReplay = ({ response }: Answered): boolean => response?.headers['idempotent-replayed'] === 'true';

/** The one line of a request, without anything that a client sent but the ids of its account and trace. */
const line = (answered: Answered, present: Invocation): Fields => ({
  request_id: answered.event.requestId,
  route: answered.event.routeKey,
  account: answered.event.caller?.account,
  status: answered.response?.statusCode,
  code: codeOf(answered),
  runs: answered.event.runs,
  replayed: isReplay(answered) || undefined,
  ...effort(present),
});

/** What of a request is counted; the money once it is committed, so not again when the answer is replayed. */
const count = (answered: Answered, { usage }: Invocation, endpoint: Endpoint, telemetry: Telemetry): void => {
  if (isReplay(answered)) telemetry.count('IdempotencyReplays');
  if (codeOf(answered) === 'idempotency-key-reused') telemetry.count('IdempotencyMismatches');
  if (usage.conflicts > 0) telemetry.count('TransactionConflicts', usage.conflicts);
  if (usage.throttles > 0) telemetry.count('TableThrottles', usage.throttles);
  const { committed } = answered.event;
  if ('metric' in endpoint && committed) {
    const { name, amountOf } = endpoint.metric;
    const { amount, currency } = amountOf(committed as never);
    telemetry.count(name, amount, currency);
  }
};

/** Tells the operator of each request, once it is answered: one line, and what of it is counted. */
export const observe = (endpoint: Endpoint, telemetry: Telemetry): Middleware => {
  const tell = (answered: Answered): void => {
    const present = invocation();
    if (!present) return;
    telemetry.log('request', line(answered, present));
    count(answered, present, endpoint, telemetry);
  };
  return {
    name: 'observe',
    before: ({ event }) => {
      const present = invocation();
      if (present) present.trace = traceOf(event.headers['traceparent'], event.headers['tracestate']);
    },
    after: tell,
    onError: tell,
  };
};
