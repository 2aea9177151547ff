import { parseKey } from '#shared/platform/commit/idempotency.ts';
import { type CheckPreconditions, createPreconditionCheck } from '#shared/platform/http/caching.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { type Authenticated, requireScope } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Received, type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { normalForm, parseQuery, type Query } from '#shared/platform/http/request/query.ts';

export interface WithParameters {
  readonly query: Query;
  readonly idempotencyKey: string | undefined;
  /** The handler passes the member that it has read to this check. */
  readonly checkPreconditions: CheckPreconditions;
}

/**
 * Decodes the query, and reads the Idempotency-Key (CONTRACT §8) and the preconditions of a write (CONTRACT §7). `expand`
 * requires the scope to read each expanded resource (CONTRACT §2).
 */
export const parameters: Step<Received & Authenticated, WithParameters, Operation> = {
  name: 'parameters',
  reads: (operation) => [
    ...when(operation.idempotency, 'Idempotency-Key'),
    ...when(operation.ifMatch, 'If-Match', 'If-None-Match'),
  ],
  refuses: (operation) => [
    'malformed-query',
    ...when(operation.scopesOfExpand.length > 0, 'insufficient-scope'),
    ...when(operation.idempotency, 'invalid-idempotency-key'),
    ...when(operation.idempotency === 'required', 'idempotency-key-required'),
    ...when(operation.ifMatch, 'invalid-header', 'precondition-failed'),
  ],
  writes: (_, status) => (status === 412 ? ['ETag'] : []),
  run: ({ rawQueryString, headers, caller }, { endpoint: { scopesOfExpand, idempotency, ifMatch } }) => {
    const query = parseQuery(rawQueryString);
    const expanded = query.filter(([name]) => name === 'expand').flatMap(([, list]) => normalForm(list));
    for (const [name, scope] of scopesOfExpand) if (expanded.includes(name)) requireScope(caller, scope);
    return {
      query,
      idempotencyKey: idempotency && parseKey(headers['idempotency-key'], idempotency === 'required'),
      checkPreconditions: ifMatch
        ? createPreconditionCheck({ ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] })
        : (member) => member,
    };
  },
};
