import { Refusal, type Violation } from '#shared/domain/refusal.ts';
import type { Telemetry } from '#shared/telemetry/telemetry.ts';
import { membersIn, pointerTo } from '#shared/wire/money.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Exchange, GatewayResult, Middleware } from './exchange.ts';

/** A refusal tells of this moment; several of its statuses would else be cached by default (RFC 9110 §15.1). */
const PROBLEM = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' };

/** Answers every error as problem+json (RFC 9457); what is no refusal is reported whole and answered bare. */
export const problems = (telemetry: Pick<Telemetry, 'fault'>): Middleware => ({
  name: 'problems',
  onError: (request) => {
    const { event, error } = request;
    const refusal = error instanceof Refusal ? error : new Refusal('internal-error');
    if (refusal.code === 'internal-error' || refusal.cause) {
      const { requestId, routeKey } = event;
      telemetry.fault('request failed', error as Error, { request_id: requestId, route: routeKey });
    }
    request.response = problem(refusal, event);
  },
});

const problem = (refusal: Refusal, { requestId, version = 'v1' }: Exchange): GatewayResult => {
  const { code, facts } = refusal;
  const { title, status: usual, retryAfter } = CATALOGUE[code];
  const status = facts.status ?? usual;
  const detail = facts.detail ?? title;
  const pointer = facts.field === undefined ? '' : pointerTo(facts.field, version, facts.member);
  const errors: readonly Violation[] = facts.violations ?? [{ pointer, code, detail }];
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
      ...membersIn(version, facts.members ?? {}),
      ...(status === 422 && { errors }),
    }),
  };
};
