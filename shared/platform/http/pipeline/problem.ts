import type { Endpoint } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { type Catalogue, ProblemError, type ProblemType, type Violation } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { pointerTo, serializeAmounts } from '#shared/platform/wire/money.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import type { RequestContext } from './context.ts';
import { type Step, when } from './step.ts';

interface Dependencies {
  readonly telemetry: Pick<Telemetry, 'fault'>;
  readonly catalogue: Catalogue;
}

/** Statuses with a code whose problem says when to retry. */
export const RETRY_STATUSES: readonly number[] = [409, 429, 503];

/**
 * Answers every error as problem+json (RFC 9457). An error that is no refusal is logged whole and answered without a
 * detail.
 */
export const problems: Step<Endpoint, Dependencies> = {
  name: 'problems',
  refuses: ['internal-error'],
  // With configured origins, CORS adds a Vary to every response; the document names it with problems.
  writes: (_, status) => {
    if (status < 400) return [];
    return ['Cache-Control', 'Vary', ...when(RETRY_STATUSES.includes(status), 'Retry-After')];
  },
  onError: (error, event, { endpoint, telemetry, catalogue }) => {
    const refusal = error instanceof ProblemError ? error : new ProblemError('internal-error');
    if (refusal.code === 'internal-error' || refusal.cause) {
      const { requestId, routeKey } = event;
      telemetry.fault('request failed', error as Error, { request_id: requestId, route: routeKey });
    }
    return problem(refusal, event, { ...catalogue[refusal.code], status: statusOf(refusal.code, endpoint, catalogue) });
  },
};

/** The status that an endpoint declares for a code, or the code's usual one. */
export const statusOf = (code: Product['code'], { refuses = [] }: Endpoint, catalogue: Catalogue): number => {
  const declared = refuses.find((one) => typeof one === 'object' && one.code === code);
  return typeof declared === 'object' ? declared.status : catalogue[code].status;
};

/** A problem tells of one moment; several of its statuses would otherwise be cached by default (RFC 9110 §15.1). */
const PROBLEM = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** The same for a resource of another account and for one that does not exist (CONTRACT §2). */
const DETAILS: { readonly [C in Product['code']]?: string } = { 'not-found': 'No resource was found at this path.' };

const MAX_ERRORS = 100;

/** The first violations, and how many more there are (CONTRACT §10). */
const limitViolations = (violations: readonly Violation[]): readonly Violation[] => {
  const more = violations.length - MAX_ERRORS;
  if (more <= 0) return violations;
  const rest = { pointer: '', code: 'too-many-violations', detail: `${more} more violations are not listed` };
  return [...violations.slice(0, MAX_ERRORS), rest];
};

/** The first violation as a sentence, and how many others there are. */
const describe = (violations: readonly Violation[] = []): string | undefined => {
  const [first] = violations;
  if (!first) return undefined;
  const others = violations.length > 1 ? ` There are ${violations.length} violations in all.` : '';
  return `${placeOf(first)} ${first.detail}.${others}`;
};

const placeOf = (violation: Violation): string => {
  if ('parameter' in violation) return `The parameter ${quote(violation.parameter)}:`;
  if ('header' in violation) return `The header ${violation.header}`;
  return violation.pointer === '' ? 'The body' : `${quote(violation.pointer)} in the body`;
};

const problem = (
  { code, details }: ProblemError,
  { requestId, version = 'v1' }: RequestContext,
  { title, status, retryAfter }: ProblemType,
): GatewayResult => {
  const detail = details.detail ?? describe(details.violations) ?? DETAILS[code] ?? title;
  const errors = limitViolations(details.violations ?? [{ pointer: pointerTo(version, details), code, detail }]);
  return {
    statusCode: status,
    headers: {
      ...PROBLEM,
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
