import { parseKey } from '#shared/platform/commit/idempotency.ts';
import { createPreconditionCheck, toETag } from '#shared/platform/http/caching.ts';
import { isWrite, type Operation, relationsOf } from '#shared/platform/http/endpoint.ts';
import { requireScope } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { normalForm, parseQuery } from '#shared/platform/http/request/query.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Scope } from '#shared/vocabulary.ts';

/**
 * Decodes the query, and reads the Idempotency-Key (CONTRACT §8) and the preconditions of a write (CONTRACT §7). `expand`
 * requires the scope to read each expanded resource (CONTRACT §2).
 */
export const parameters: Step<Operation> = {
  name: 'parameters',
  reads: (operation) => [
    ...when(operation.idempotency, 'Idempotency-Key'),
    ...when(operation.ifMatch, 'If-Match', 'If-None-Match'),
  ],
  refuses: (operation) => [
    'malformed-query',
    ...when(scopedRelations(operation).length > 0, 'insufficient-scope'),
    ...when(operation.idempotency, 'invalid-idempotency-key'),
    ...when(operation.idempotency === 'required', 'idempotency-key-required'),
    ...when(operation.ifMatch, 'invalid-header', 'precondition-failed'),
  ],
  writes: (_, status) => (status === 412 ? ['ETag'] : []),
  before: (event, { endpoint }) => {
    const { headers } = event;
    event.query = parseQuery(event.rawQueryString);
    const expanded = event.query.filter(([name]) => name === 'expand').flatMap(([, list]) => normalForm(list));
    for (const [name, scope] of scopedRelations(endpoint)) {
      if (expanded.includes(name)) requireScope(event, scope);
    }
    const { idempotency } = endpoint;
    if (idempotency) event.idempotencyKey = parseKey(headers['idempotency-key'], idempotency === 'required');
    // The handler passes the member that it has read to this check.
    const [ifMatch, ifNoneMatch] = endpoint.ifMatch ? [headers['if-match'], headers['if-none-match']] : [];
    event.checkPreconditions = createPreconditionCheck({ ifMatch, ifNoneMatch });
  },
  after: ({ response, error }) => {
    if (error instanceof ProblemError && error.details.version)
      response.headers['etag'] = toETag(error.details.version);
  },
};

/** With several possible resources, the rows of the response decide which scopes are necessary (expand.ts). */
const scopedRelations = (operation: Operation): [name: string, scope: Scope][] =>
  Object.entries(relationsOf(operation)).flatMap(([name, { resources }]) => {
    const [first, second] = resources;
    return first && !second ? [[name, `${first.scope}:read` as Scope]] : [];
  });

export const DRY_RUN = 'dry_run';

/**
 * Marks a request that only shows what it would do (CONTRACT §13). It is the first step after the log, because a problem
 * of any later step must have the header.
 */
export const dryRun: Step<Operation> = {
  name: 'dryRun',
  writes: (endpoint) => when(isWrite(endpoint), 'Dry-Run'),
  before: (event, { endpoint }) => {
    event.isDryRun = isWrite(endpoint) && new URLSearchParams(event.rawQueryString).getAll(DRY_RUN).includes('true');
  },
  after: ({ event, response }) => {
    if (event.isDryRun) response.headers['dry-run'] = 'true';
  },
};
