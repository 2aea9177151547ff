import type { GatewayResult } from '#shared/platform/gateway.ts';
import { type Endpoint, isPublic } from '#shared/platform/http/endpoint.ts';
import type { Origins } from '#shared/platform/http/origins.ts';
import type { Authenticated } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Limits, writeLimit } from '#shared/platform/http/pipeline/steps/limit.ts';
import { type Binding, type Declaration, type Received, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { countRefusals, currentInvocation, usageFields } from '#shared/platform/telemetry/invocation.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { writeCors } from './cors.ts';
import { type Deprecations, writeDeprecation } from './deprecation.ts';

export interface FinishDependencies extends Limits {
  readonly telemetry: Telemetry;
  readonly corsOrigins: Origins;
  readonly deprecations: Deprecations;
}

interface Outgoing {
  /** With the caller, if a step has authenticated it. */
  readonly request: Received & Partial<Authenticated>;
  readonly response: GatewayResult;
  readonly error: unknown;
}

/** The end of each response, problems included: the headers that every response can have, and the log. */
export const finish = {
  name: 'finish',
  reads: ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'] as const,
  writes: (endpoint: Endpoint) => [
    ...when(!isPublic(endpoint) && endpoint.isWrite, 'Dry-Run'),
    ...when(!isPublic(endpoint), 'Deprecation', 'Sunset', 'Link'),
    'X-Request-Id' as const,
  ],
  run: ({ request, response, error }: Outgoing, binding: Binding<Endpoint, FinishDependencies>): void => {
    const { headers } = response;
    const { apiVersion, caller, method, requestId } = request;
    const { endpoint, limiter, telemetry } = binding;
    const budgetLeft = caller && limiter && writeLimit(caller, limiter, response, error);
    if (request.isDryRun) headers['dry-run'] = 'true';
    const deprecation = apiVersion && binding.deprecations[apiVersion];
    if (deprecation) writeDeprecation(deprecation, apiVersion, request.rawPath, headers);
    writeCors(request, headers, binding.corsOrigins);
    logRequest(request, response, error, endpoint, telemetry, { account: caller?.account, budgetLeft });
    headers['x-request-id'] = requestId;
    // Stops browsers from guessing the media type of JSON.
    if (String(headers['content-type']).includes('json')) headers['x-content-type-options'] = 'nosniff';
    // HEAD: the headers of GET without the body (RFC 9110 §9.3.2).
    const { body, isBase64Encoded } = response;
    if (method !== 'HEAD' || body === undefined) return;
    headers['content-length'] = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    response.body = '';
    response.isBase64Encoded = false;
  },
} satisfies Declaration<Endpoint> & { readonly run: unknown };

interface Observed {
  readonly account: string | undefined;
  readonly budgetLeft: number | undefined;
}

/** Logs one line for each request and counts the metrics of the dashboard and the alarms. */
const logRequest = (
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
  // The line contains no value that a client has sent, except the ids of the account and the trace.
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
