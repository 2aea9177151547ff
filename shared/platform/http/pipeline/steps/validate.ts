import * as v from 'valibot';
import { toIdempotencyContext } from '#shared/platform/commit/idempotency.ts';
import { isObject } from '#shared/platform/entity.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import {
  hasId,
  type Input,
  isWrite,
  type Operation,
  relationsOf,
  resourceOfGet,
} from '#shared/platform/http/endpoint.ts';
import { DRY_RUN } from '#shared/platform/http/pipeline/steps/parameters.ts';
import { type RequestContext, type Step, when } from '#shared/platform/http/pipeline/steps/step.ts';
import { listParameters, parseListing } from '#shared/platform/http/request/pagination.ts';
import {
  knownParameters,
  parseSelection,
  type Query,
  type Selection,
  selectionParameters,
} from '#shared/platform/http/request/query.ts';
import { isId } from '#shared/platform/id.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import { object, type Schema } from '#shared/platform/wire/schema.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import type { Scope, Settings } from '#shared/vocabulary.ts';
import { requireScope } from './authenticate.ts';
import { takesBody } from './parse-body.ts';

/**
 * Requires the scope that the body needs (403), reports all violations of query and body together (422), then impossible
 * ids in the path (404).
 */
export const validate: Step<Operation, { readonly settings: Settings }> = {
  name: 'validate',
  parameters: (operation, version) => parametersOf(operation, version),
  refuses: (operation) => [
    'validation-failed',
    ...when(operation.list, 'invalid-cursor'),
    ...when(operation.scopeOf, 'insufficient-scope'),
    ...when(hasId(operation), 'not-found'),
  ],
  before: (event, { endpoint, settings }) => {
    const { body: json, idempotencyKey: key, rawPath: path } = event;
    const [{ account }, version] = [event.caller as Caller, event.version as Version];
    const members = isObject(json) ? json : {};
    const scope = endpoint.scopeOf?.(members);
    if (scope) requireScope(event, scope);
    const violations: Violation[] = [];
    const parameters = knownParameters(event.query as Query, parametersOf(endpoint, version), violations);
    if (!['true', 'false', undefined].includes(parameters.get(DRY_RUN)))
      violations.push({ parameter: DRY_RUN, code: 'not-allowed', detail: 'must be true or false' });
    const resource = resourceOfGet(endpoint);
    const selection = resource
      ? parseSelection(resource.fields[version], relationsOf(endpoint), parameters, violations)
      : ALL_FIELDS;
    const { list } = endpoint;
    const { attributes } = selection;
    const fields = resource?.fields.v1 ?? {};
    const listing = list && parseListing({ account, path, fields, list, parameters, violations, attributes });
    const body = validateBody(endpoint, json, version, violations);
    for (const violation of endpoint.checkBody?.(members, settings) ?? []) violations.push(violation);
    if (violations.length > 0) throw new ProblemError('validation-failed', { violations });

    const input = {
      path: pathIds(event.pathParameters),
      method: event.method,
      body,
      caller: event.caller as Caller,
      requestId: event.requestId,
      projection: attributes,
      page: listing?.request,
      requireScope: (scope: Scope) => requireScope(event, scope),
      checkPreconditions: event.checkPreconditions as Input['checkPreconditions'],
    };
    const idempotency =
      key === undefined ? undefined : toIdempotencyContext(key, account, { method: event.method, path }, json);
    event.request = { input, selection, listing, idempotency };
  },
};

const ALL_FIELDS: Selection = { expand: [] };

const parametersOf = (operation: Operation, version: Version): string[] => {
  if (isWrite(operation)) return [DRY_RUN];
  const resource = resourceOfGet(operation);
  if (!resource) return [];
  return [
    ...selectionParameters(relationsOf(operation)),
    ...(operation.list ? listParameters(operation.list, version) : []),
  ];
};

const EMPTY_BODY = object({});
/** CONTRACT §12 */
const MAX_JSON_DEPTH = 32;

const validateBody = (operation: Operation, json: unknown, version: Version, violations: Violation[]): unknown => {
  if (!takesBody(operation)) return undefined;
  if (isDeeper(json, MAX_JSON_DEPTH)) {
    violations.push({ pointer: '', code: 'too-deep', detail: `must nest at most ${MAX_JSON_DEPTH} levels` });
    return undefined;
  }
  const schema: Schema<unknown> = operation.body?.[version] ?? EMPTY_BODY;
  const result = v.safeParse(schema, json);
  for (const issue of result.issues ?? []) violations.push(violation(issue));
  return result.output;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** CONTRACT §3: a segment that is not an id is `not-found`. */
const pathIds = (parameters: RequestContext['pathParameters']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, text = '']) => {
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
      if (!isId(id)) throw new ProblemError('not-found');
      return [name, id];
    }),
  );
