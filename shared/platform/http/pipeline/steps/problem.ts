import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { type RequestContext, type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { pointerTo, serializeAmounts } from '#shared/platform/wire/money.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import { CATALOGUE, type ProblemCode, type ProblemType } from '#shared/vocabulary.ts';

interface Dependencies {
  readonly telemetry: Pick<Telemetry, 'fault'>;
}

export const RETRY_STATUSES: readonly number[] = [409, 429, 503];

/** Responds to errors with problem+json (RFC 9457). An unexpected error is logged; its problem has no details. */
export const problems: Step<Endpoint, Dependencies> = {
  name: 'problems',
  refuses: ['internal-error'],
  // CORS adds Vary to every response when origins are configured; the OpenAPI document lists it at problems.
  writes: (_, status) => {
    if (status < 400) return [];
    return ['Cache-Control', 'Vary', ...when(RETRY_STATUSES.includes(status), 'Retry-After')];
  },
  onError: (error, event, { endpoint, telemetry }) => {
    const known = error instanceof ProblemError ? error : new ProblemError('internal-error');
    if (known.code === 'internal-error' || known.cause) {
      const { requestId, routeKey } = event;
      telemetry.fault('request failed', error as Error, { request_id: requestId, route: routeKey });
    }
    return toResponse(known, event, { ...CATALOGUE[known.code], status: statusOf(known.code, endpoint) });
  },
};

/** The status that the endpoint declares for the code, or the usual one. */
export const statusOf = (code: ProblemCode, { refuses = [] }: Endpoint): number => {
  const declared = refuses.find((entry) => typeof entry === 'object' && entry.code === code);
  return typeof declared === 'object' ? declared.status : CATALOGUE[code].status;
};

/** Without `no-store`, caches may store several of the statuses by default (RFC 9110 §15.1). */
const PROBLEM_HEADERS = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** The same detail for a resource of another account and for a resource that does not exist (CONTRACT §2). */
const DETAILS: { readonly [C in ProblemCode]?: string } = { 'not-found': 'No resource was found at this path.' };

const MAX_ERRORS = 100;

const toResponse = (
  { code, details }: ProblemError,
  { requestId, version = 'v1' }: RequestContext,
  { title, status, ...defaults }: ProblemType,
): GatewayResult => {
  const { retryAfter = defaults.retryAfter } = details;
  const detail = details.detail ?? describeViolations(details.violations) ?? DETAILS[code] ?? title;
  const errors = limitViolations(details.violations ?? [{ pointer: pointerTo(version, details), code, detail }]);
  return {
    statusCode: status,
    headers: {
      ...PROBLEM_HEADERS,
      ...(retryAfter && { 'retry-after': String(retryAfter) }),
      ...(details.methods && { allow: details.methods.join(', ') }),
    },
    body: JSON.stringify({
      type: `/problems/${code}`,
      title,
      status,
      detail,
      code,
      request_id: requestId,
      ...details.members,
      ...(details.amounts && serializeAmounts(version, details.amounts)),
      ...(status === 422 && { errors }),
    }),
  };
};

/** CONTRACT §10: the first violations and the number of the other violations. */
const limitViolations = (violations: readonly Violation[]): readonly Violation[] => {
  const more = violations.length - MAX_ERRORS;
  if (more <= 0) return violations;
  const rest = { pointer: '', code: 'too-many-violations', detail: `${more} more violations are not listed` };
  return [...violations.slice(0, MAX_ERRORS), rest];
};

const describeViolations = (violations: readonly Violation[] = []): string | undefined => {
  const [first] = violations;
  if (!first) return undefined;
  const others = violations.length > 1 ? ` There are ${violations.length} violations in all.` : '';
  return `${describePlace(first)} ${first.detail}.${others}`;
};

const describePlace = (violation: Violation): string => {
  if ('parameter' in violation) return `The parameter ${quote(violation.parameter)}:`;
  if ('header' in violation) return `The header ${violation.header}`;
  return violation.pointer === '' ? 'The body' : `${quote(violation.pointer)} in the body`;
};
