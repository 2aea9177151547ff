import * as v from 'valibot';
import { hasId, type Input, type Operation, resourceOfGet } from '#shared/platform/endpoint.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import { parseSelection, type Selection, selectionParameters } from '#shared/platform/http/request/field-selection.ts';
import { type Listing, listParameters, parseListing } from '#shared/platform/http/request/pagination.ts';
import { knownParameters, type Query } from '#shared/platform/http/request/query.ts';
import { isId } from '#shared/platform/id.ts';
import { type IdempotencyContext, toIdempotencyContext } from '#shared/platform/idempotency/key.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import { object, type Schema } from '#shared/platform/wire/schema.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import { requireScope } from './authenticate.ts';
import type { RequestContext } from './context.ts';
import { takesBody } from './parse-body.ts';
import { type Step, when } from './step.ts';

/** A request whose every part is well formed. */
export interface ParsedRequest {
  readonly input: Omit<Input, 'now' | 'newId' | 'permit'>;
  readonly selection: Selection;
  readonly listing: Listing | undefined;
  readonly idempotency: IdempotencyContext | undefined;
}

/** Collects every violation of the query and the body (422), then refuses ids that cannot exist (404). */
export const validate: Step<Operation> = {
  name: 'validate',
  parameters: (operation, version) => parametersOf(operation, version),
  refuses: (operation) => [
    'validation-failed',
    ...when(operation.list, 'invalid-cursor'),
    ...when(hasId(operation), 'not-found'),
  ],
  before: (event, { endpoint }) => {
    event.request = parseRequest(endpoint, event, event.caller as Caller, event.version as Version);
  },
};

const parseRequest = (operation: Operation, event: RequestContext, caller: Caller, version: Version): ParsedRequest => {
  const { rawPath, idempotencyKey } = event;
  const violations: Violation[] = [];
  const parameters = knownParameters(event.query as Query, parametersOf(operation, version), violations);
  const resource = resourceOfGet(operation);
  const selection = resource ? parseSelection(resource, version, parameters, violations) : ALL_FIELDS;
  const { attributes } = selection;
  const listing =
    operation.list && resource
      ? parseListing({
          account: caller.account,
          path: rawPath,
          fields: resource.fields.v1,
          filters: operation.list.filters,
          parameters,
          violations,
          attributes,
        })
      : undefined;
  const body = parseBody(operation, event.body, version, violations);
  if (violations.length > 0) throw new ProblemError('validation-failed', { violations });

  const input = {
    path: pathIds(event.pathParameters),
    body,
    caller,
    projection: attributes,
    page: listing?.request,
    requireScope: (scope: Product['scope']) => requireScope(event, scope),
    checkIfMatch: event.checkIfMatch as Input['checkIfMatch'],
  };
  const key =
    idempotencyKey === undefined
      ? undefined
      : toIdempotencyContext(idempotencyKey, caller.account, rawPath, event.body);
  return { input, selection, listing, idempotency: key };
};

const ALL_FIELDS: Selection = { names: undefined, expand: [], attributes: undefined };

const parametersOf = (operation: Operation, version: Version): string[] => {
  const resource = resourceOfGet(operation);
  if (!resource) return [];
  return [...selectionParameters(resource), ...(operation.list ? listParameters(operation.list, version) : [])];
};

const EMPTY_BODY = object({});
/** Levels of nesting (CONTRACT §12). */
const MAX_JSON_DEPTH = 32;

const parseBody = (operation: Operation, json: unknown, version: Version, violations: Violation[]): unknown => {
  if (!takesBody(operation)) return undefined;
  if (isDeeper(json, MAX_JSON_DEPTH)) {
    violations.push({ pointer: '', code: 'too-deep', detail: `must nest at most ${MAX_JSON_DEPTH} levels` });
    return undefined;
  }
  const schema: Schema<unknown> = operation.body?.[version] ?? EMPTY_BODY;
  const result = v.safeParse(schema, json);
  if (!result.success) violations.push(...result.issues.map(violation));
  return result.output;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** A segment that is no id names no resource (CONTRACT §3). */
const pathIds = (parameters: RequestContext['pathParameters']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, text = '']) => {
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
      if (!isId(id)) throw new ProblemError('not-found');
      return [name, id];
    }),
  );
