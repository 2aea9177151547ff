import * as v from 'valibot';
import { type Input, type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import { ifMatch } from '#shared/platform/http/request/conditional.ts';
import { normalForm, parseSelection, type Selection } from '#shared/platform/http/request/field-selection.ts';
import {
  CURSOR_PARAMETERS,
  type Listing,
  OFFSET_PARAMETERS,
  parseListing,
  TIME_PARAMETERS,
} from '#shared/platform/http/request/pagination.ts';
import { known, parseQuery, type Query } from '#shared/platform/http/request/query.ts';
import { isId } from '#shared/platform/id.ts';
import { type Keyed, keyed, parseKey } from '#shared/platform/idempotency/key.ts';
import { Refusal, type Violation } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import { object, type Schema } from '#shared/platform/wire/schema.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import { requireScope } from './authenticate.ts';
import type { Exchange, Middleware } from './context.ts';

/** A request whose every part is known to be well formed. */
export interface ParsedRequest {
  readonly input: Omit<Input, 'now' | 'newId' | 'permit'>;
  readonly selection: Selection;
  readonly listing: Listing | undefined;
  readonly keyed: Keyed | undefined;
}

const DEEPEST = 32;

/** Syntax first (400), then every violation at once (422), then ids that cannot be one (404). */
export const parse = (operation: Operation): Middleware => ({
  name: 'parse',
  before: ({ event }) => {
    event.request = parsed(operation, event, event.caller as Caller, event.version as Version);
  },
});

const parsed = (operation: Operation, event: Exchange, caller: Caller, version: Version): ParsedRequest => {
  const { method } = routeOf(operation);
  const { headers, rawPath, rawQueryString } = event;
  const query = parseQuery(rawQueryString);
  const resource = operation.returns[200];
  if (method === 'GET' && resource)
    requireExpandable(query, Object.keys(resource.relations), resource.relations, caller);
  const uuid = operation.idempotency && parseKey(headers['idempotency-key'], operation.idempotency === 'required');
  const match = ifMatch(method === 'GET' ? undefined : headers['if-match']);

  const violations: Violation[] = [];
  const parameters = known(query, parametersOf(operation, version), violations);
  const selects = method === 'GET' && resource ? parseSelection(resource, version, parameters, violations) : ALL;
  const listing =
    operation.lists && resource
      ? parseListing({
          account: caller.account,
          path: rawPath,
          fields: resource.fields.v1,
          filters: operation.lists.filters,
          parameters,
          violations,
          attributes: selects.attributes,
        })
      : undefined;
  const body =
    method === 'GET' || method === 'DELETE' ? undefined : parseBody(operation, event.body, version, violations);
  if (violations.length > 0) throw new Refusal('validation-failed', { violations });

  const input = {
    path: pathIds(event.pathParameters),
    body,
    caller,
    attributes: selects.attributes,
    page: listing?.request as Input['page'],
    requireScope: (scope: Product['scope']) => requireScope(caller, scope),
    match,
  };
  return {
    input,
    selection: selects,
    listing,
    keyed: uuid === undefined ? undefined : keyed(uuid, caller.account, rawPath, event.body),
  };
};

const ALL: Selection = { names: undefined, expand: [], attributes: undefined };

const parametersOf = (operation: Operation, version: Version): string[] => {
  if (routeOf(operation).method !== 'GET') return [];
  const selecting = ['fields', ...(Object.keys(operation.returns[200]?.relations ?? {}).length > 0 ? ['expand'] : [])];
  if (!operation.lists) return selecting;
  const styles = [...CURSOR_PARAMETERS, ...(version === 'v1' ? OFFSET_PARAMETERS : [])];
  return [...selecting, ...operation.lists.filters, ...TIME_PARAMETERS, 'sort', ...styles];
};

/** An expanded resource is read, so it takes the scope to read it (CONTRACT §2). */
const requireExpandable = (
  query: Query,
  names: readonly string[],
  relations: NonNullable<Operation['returns'][200]>['relations'],
  caller: Caller,
): void => {
  const asked = query.filter(([name]) => name === 'expand').flatMap(([, list]) => normalForm(list));
  for (const name of names.filter((one) => asked.includes(one))) {
    requireScope(caller, `${relations[name]?.resource.scope}:read` as Product['scope']);
  }
};

const NOTHING = object({});

const parseBody = (operation: Operation, json: unknown, version: Version, violations: Violation[]): unknown => {
  if (isDeeper(json, DEEPEST)) {
    violations.push({ pointer: '', code: 'too-deep', detail: `must nest at most ${DEEPEST} levels` });
    return undefined;
  }
  const schema: Schema<unknown> = operation.body?.[version] ?? NOTHING;
  const result = v.safeParse(schema, json);
  if (!result.success) violations.push(...result.issues.map(violation));
  return result.output;
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** A segment that is no id names no resource (CONTRACT §3). */
const pathIds = (parameters: Exchange['pathParameters']): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, text = '']) => {
      const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
      if (!isId(id)) throw new Refusal('not-found');
      return [name, id];
    }),
  );
