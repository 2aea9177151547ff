import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import type { Received } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { countRefusals, currentInvocation, usageFields } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';

interface Observed {
  readonly account: string | undefined;
  readonly budgetLeft: number | undefined;
}

/** Logs one line for each request and counts the metrics of the dashboard and the alarms. */
export const logRequest = (
  { requestId, routeKey, isDryRun, logged }: Received,
  { statusCode, headers }: GatewayResult,
  error: unknown,
  endpoint: Endpoint,
  telemetry: Telemetry,
  { account, budgetLeft }: Observed,
): void => {
  const current = currentInvocation();
  if (!current) return;
  const failure = error instanceof ProblemError ? error.code : 'internal-error';
  const code = error ? failure : undefined;
  const isReplay = headers['idempotent-replayed'] === 'true';
  // Of the values that clients send, the line contains only the ids of the account and the trace.
  telemetry.log('request', {
    request_id: requestId,
    route: routeKey,
    account,
    status: statusCode,
    code,
    runs: logged.runs,
    replayed: isReplay || undefined,
    dry_run: isDryRun || undefined,
    budget_left: budgetLeft,
    ...usageFields(current),
  });
  if (isReplay) telemetry.count('IdempotencyReplays');
  if (code === 'idempotency-key-reused') telemetry.count('IdempotencyMismatches');
  if (code === 'too-many-requests') telemetry.count('RequestsOverLimit');
  countRefusals(current, telemetry);
  // Counts money when it is committed. A replayed response is not counted again.
  const { amount } = logged;
  if ('metric' in endpoint && endpoint.metric && amount)
    telemetry.count(endpoint.metric, amount.amount, amount.currency);
};
