import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { type Declaration, type Received, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import { pointerTo, serializeAmounts } from '#shared/platform/wire/money.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import { CATALOGUE, type ProblemCode } from '#shared/vocabulary.ts';

export const RETRY_STATUSES: readonly number[] = [409, 429, 503];

/** Converts any error into problem+json (RFC 9457). An unexpected error becomes a problem without details. */
export const problems = {
  name: 'problems',
  refuses: ['internal-error'],
  // CORS adds Vary to every response when origins are configured; the OpenAPI document lists it at problems.
  writes: (_: Endpoint, status: number) =>
    status < 400 ? [] : ['Cache-Control', 'Vary', ...when(RETRY_STATUSES.includes(status), 'Retry-After')],
} as const satisfies Declaration<Endpoint>;

/** Whether an error is logged whole: it is not a problem of the request. */
export const isFault = (error: unknown): boolean =>
  !(error instanceof ProblemError) || error.code === 'internal-error' || error.cause !== undefined;

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

export const toResponse = (
  error: unknown,
  { requestId, apiVersion: version = 'v1' }: Received,
  endpoint: Endpoint,
): GatewayResult => {
  const { code, details } = error instanceof ProblemError ? error : new ProblemError('internal-error');
  const { title, ...defaults } = CATALOGUE[code];
  const status = statusOf(code, endpoint);
  const { retryAfter = defaults.retryAfter } = details;
  const detail = details.detail ?? describeViolations(details.violations) ?? DETAILS[code] ?? title;
  const errors = limitViolations(details.violations ?? [{ pointer: pointerTo(version, details), code, detail }]);
  return {
    statusCode: status,
    headers: {
      ...PROBLEM_HEADERS,
      ...(retryAfter && { 'retry-after': String(retryAfter) }),
      ...details.headers,
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
