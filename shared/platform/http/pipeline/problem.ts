import type { GatewayResult } from '#shared/platform/gateway.ts';
import { type Catalogue, Refusal, type Violation } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { amountsIn, pointerTo } from '#shared/platform/wire/money.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import type { Exchange, Middleware } from './context.ts';

/** A refusal tells of this moment; several of its statuses would else be cached by default (RFC 9110 §15.1). */
const PROBLEM = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** Answers every error as problem+json (RFC 9457); what is no refusal is reported whole and answered bare. */
export const problems = (telemetry: Pick<Telemetry, 'fault'>, catalogue: Catalogue): Middleware => ({
  name: 'problems',
  onError: (request) => {
    const { event, error } = request;
    const refusal = error instanceof Refusal ? error : new Refusal('internal-error');
    if (refusal.code === 'internal-error' || refusal.cause) {
      const { requestId, routeKey } = event;
      telemetry.fault('request failed', error as Error, { request_id: requestId, route: routeKey });
    }
    request.response = problem(refusal, event, catalogue);
  },
});

/** The same for a resource of another account and for one that does not exist (CONTRACT §2). */
const DETAILS: { readonly [C in Product['code']]?: string } = { 'not-found': 'No resource was found at this path.' };

const MAX_ERRORS = 100;

/** The first violations, and how many more there are (CONTRACT §10). */
const limited = (violations: readonly Violation[]): readonly Violation[] => {
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

const problem = (refusal: Refusal, { requestId, version = 'v1' }: Exchange, catalogue: Catalogue): GatewayResult => {
  const { code, facts } = refusal;
  const { title, status: usual, retryAfter } = catalogue[code];
  const status = facts.status ?? usual;
  const detail = facts.detail ?? describe(facts.violations) ?? DETAILS[code] ?? title;
  const errors = limited(facts.violations ?? [{ pointer: pointerTo(version, facts), code, detail }]);
  return {
    statusCode: status,
    headers: { ...PROBLEM, ...(retryAfter && { 'retry-after': String(retryAfter) }), ...facts.headers },
    body: JSON.stringify({
      type: `/problems/${code}`,
      title,
      status,
      detail,
      code,
      request_id: requestId,
      ...facts.members,
      ...(facts.amounts && amountsIn(version, facts.amounts)),
      ...(status === 422 && { errors }),
    }),
  };
};
