import * as v from 'valibot';
import { type IdempotencyContext, parseKey, toIdempotencyContext } from '#shared/platform/commit/idempotency.ts';
import { isObject } from '#shared/platform/entity.ts';
import { type CheckPreconditions, createPreconditionCheck } from '#shared/platform/http/caching.ts';
import { DRY_RUN, type Input, type Operation } from '#shared/platform/http/endpoint.ts';
import { type Authenticated, requireScope } from '#shared/platform/http/pipeline/steps/authenticate.ts';
import { type Received, type Step, type Versioned, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { type Listing, parseListing } from '#shared/platform/http/request/pagination.ts';
import {
  knownParameters,
  normalForm,
  parseQuery,
  parseSelection,
  type Query,
  type Selection,
} from '#shared/platform/http/request/query.ts';
import { isId } from '#shared/platform/id.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import { object, type Schema } from '#shared/platform/wire/schema.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import type { Scope, Settings } from '#shared/vocabulary.ts';

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

export interface Validated {
  readonly input: Omit<Input, 'now' | 'newId' | 'permit'>;
  readonly selection: Selection;
  readonly listing: Listing | undefined;
  readonly idempotency: IdempotencyContext | undefined;
}

type Parsed = Omit<Versioned, 'body'> & { readonly body?: unknown } & Authenticated & WithParameters;

/**
 * Requires the scope that the body needs (403), reports all violations of query and body together (422), then impossible
 * ids in the path (404).
 */
export const validate: Step<Parsed, Validated, Operation, { readonly settings: Settings }> = {
  name: 'validate',
  parameters: (operation, version) => operation.parameters[version],
  refuses: (operation) => [
    'validation-failed',
    ...when(operation.list, 'invalid-cursor'),
    ...when(operation.scopeOf, 'insufficient-scope'),
    ...when(operation.hasId, 'not-found'),
  ],
  run: (request, { endpoint, settings }) => {
    const { apiVersion: version, rawPath: path, method, caller, body: json, idempotencyKey: key } = request;
    const { account } = caller;
    const members = isObject(json) ? json : {};
    const scope = endpoint.scopeOf?.(members);
    if (scope) requireScope(caller, scope);
    const violations: Violation[] = [];
    const parameters = knownParameters(request.query, endpoint.parameters[version], violations);
    if (!['true', 'false', undefined].includes(parameters.get(DRY_RUN)))
      violations.push({ parameter: DRY_RUN, code: 'not-allowed', detail: 'must be true or false' });
    const { resource, relations, list } = endpoint;
    const selection = resource
      ? parseSelection(resource.fields[version], relations, parameters, violations)
      : ALL_FIELDS;
    const { attributes } = selection;
    const fields = resource?.fields.v1 ?? {};
    const listing = list && parseListing({ account, path, fields, list, parameters, violations, attributes });
    const schema = endpoint.body?.[version] ?? EMPTY_BODY;
    const body = endpoint.mediaTypes ? parseWith(schema, json, violations) : undefined;
    for (const violation of endpoint.checkBody?.(members, settings) ?? []) violations.push(violation);
    if (violations.length > 0) throw new ProblemError('validation-failed', { violations });

    const input = {
      path: endpoint.hasId ? pathIds(request.pathParameters) : {},
      method,
      body,
      caller,
      requestId: request.requestId,
      projection: attributes,
      page: listing?.request,
      requireScope: (scope: Scope) => requireScope(caller, scope),
      checkPreconditions: request.checkPreconditions,
    };
    const idempotency = key === undefined ? undefined : toIdempotencyContext(key, account, { method, path }, json);
    return { input, selection, listing, idempotency };
  },
};

const ALL_FIELDS: Selection = { expand: [] };

const EMPTY_BODY = object({});
/** CONTRACT §12 */
const MAX_JSON_DEPTH = 32;

const parseWith = (schema: Schema<unknown>, json: unknown, violations: Violation[]): unknown => {
  if (isDeeper(json, MAX_JSON_DEPTH)) {
    violations.push({ pointer: '', code: 'too-deep', detail: `must nest at most ${MAX_JSON_DEPTH} levels` });
    return undefined;
  }
  const result = v.safeParse(schema, json);
  for (const issue of result.issues ?? []) violations.push(violation(issue));
  return result.output;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** CONTRACT §3: a segment that is not an id is `not-found`. */
const pathIds = (parameters: Versioned['pathParameters']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, text = '']) => {
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
      if (!isId(id)) throw new ProblemError('not-found');
      return [name, id];
    }),
  );
