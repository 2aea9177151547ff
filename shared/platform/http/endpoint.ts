import type { Relation, Resource, ResourceEntry, Sort } from '#shared/platform/declarations/resource.ts';
import type { Selected, StoresByName, StoresOf, Uses, UsesOf } from '#shared/platform/declarations/store-methods.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { Violation } from '#shared/platform/problem.ts';
import type { PageRequest, RequestedAttribute } from '#shared/platform/store/page.ts';
import type { Body } from '#shared/platform/wire/body.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Act, MoneyMetric, ProblemCode, QueueName, Scope, Settings } from '#shared/vocabulary.ts';
import type { CheckPreconditions } from './caching.ts';
import type { Caller } from './caller.ts';
import type { PublicReply, Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Names<R extends string> = R extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

type ReadInput<R extends string, L> = L extends object
  ? { readonly page: PageRequest }
  : R extends `GET ${string}`
    ? {
        readonly method: 'GET' | 'HEAD';
        /** The stored attributes that the response needs; all when undefined. */
        readonly projection: readonly RequestedAttribute[] | undefined;
      }
    : unknown;

export interface Input<R extends string = string, B = unknown> {
  readonly path: { readonly [K in Names<R>]: number };
  readonly body: B;
  readonly caller: Caller;
  readonly requestId: string;
  readonly now: string;
  /** @param following how many ids directly after it are in the same millisecond, for other tables */
  readonly newId: (following?: number) => number;
  /** Throws `policy-denied` for an act that a conditional rule forbids (§5; CONTRACT §2). */
  readonly permit: (act: Act) => void;
  /** For scopes that depend on the member; throws `insufficient-scope` (CONTRACT §2). */
  readonly requireScope: (scope: Scope) => void;
  /** CONTRACT §7. */
  readonly checkPreconditions: CheckPreconditions;
}

interface Common<R extends string> {
  /** Method and path template without version: `GET /orders/{order_id}`. */
  readonly route: R;
}

export interface Documented {
  readonly summary: string;
  readonly description: string;
}

export interface ListDeclaration {
  readonly filters: readonly string[];
  /** The combinations of `filters` that the list accepts. */
  readonly indexes: readonly (readonly string[])[];
  readonly sorts?: readonly Sort[] | undefined;
  readonly lookups?: readonly string[] | undefined;
  readonly isReadByIds?: true | undefined;
}

interface CodeWithStatus {
  readonly code: ProblemCode;
  readonly status: number;
}

/** The declaration in the file of an operation. */
interface OperationDeclaration<
  R extends string = string,
  B = unknown,
  L extends ListDeclaration | undefined = ListDeclaration | undefined,
  S = StoresByName,
  U = Uses,
> extends Common<R>,
    Documented {
  readonly scope: Scope;
  /** Whether an Idempotency-Key is required; absent if it is ignored (CONTRACT §8). */
  readonly idempotency?: 'required' | 'optional';
  readonly uses: U;
  readonly selectsBy?: Selected<U>;
  /**
   * The resource of the member that `checkPreconditions` checks. If it has events, a 412 names the fields that have changed
   * since the version of the client (CONTRACT §7).
   */
  readonly ifMatch?: Pick<ResourceEntry, 'type' | 'events'>;
  /** The resource of the response, by success status; null without a body. */
  readonly returns: { readonly [Status in Reply['status']]?: Resource | null };
  /** The actions that conditional rules decide (CONTRACT §2). */
  readonly permits?: readonly Act['action'][];
  /** The problem codes of the endpoint's rules. The steps of the pipeline declare their codes. */
  readonly refuses?: readonly (ProblemCode | CodeWithStatus)[];
  readonly body?: Body<B>;
  /** Whether a request without a body is the same as `{}` (CONTRACT §12). */
  readonly isBodyOptional?: true;
  /** The scope that a body requires besides `scope`. It is checked before all violations are (CONTRACT §2). */
  scopeOf?(body: Readonly<Record<string, unknown>>): Scope | undefined;
  /** Violations of rules that depend on the settings, in the members of any body. */
  checkBody?(body: Readonly<Record<string, unknown>>, settings: Settings): readonly Violation[];
  readonly list?: L;
  /** Whether a returned member may be unfinished, so that clients poll it (`inProgress`). */
  readonly polled?: true;
  readonly sendsTo?: QueueName;
  readonly metric?: MoneyMetric;
  handle(input: Input<R, B> & ReadInput<R, L>, stores: S): Promise<Reply> | Reply;
}

/** The method and the path template of a route; the steps and the OpenAPI document read them. */
interface Routed {
  readonly method: Method;
  /** Without version. */
  readonly path: string;
}

/** An endpoint in every version, for callers with its scope: its declaration, and the constants that follow from it. */
export interface Operation extends OperationDeclaration, Routed {
  readonly isWrite: boolean;
  /** The resource that its body creates. */
  readonly creates: Resource | undefined;
  /** The stores of the handler, and of the resources that `expand` embeds. */
  readonly stores: Uses;
  /** Whether its path has an id. */
  readonly hasId: boolean;
  /** The budget that a request costs (CONTRACT §16). */
  readonly cost: number;
  /** The media types of the body; undefined without a body. A patch is a merge patch under both media types. */
  readonly mediaTypes: readonly string[] | undefined;
  /** The resource that a GET returns; `fields` and `expand` name its fields and relations. */
  readonly resource: Resource | undefined;
  /** The relations that `expand` can embed. */
  readonly relations: Readonly<Record<string, Relation>>;
  /**
   * The scopes that the names in `expand` require (CONTRACT §2). With several possible resources, the rows of the response
   * decide it (pipeline/expand.ts).
   */
  readonly scopesOfExpand: readonly (readonly [name: string, scope: Scope])[];
  /** The names of the query parameters. */
  readonly parameters: Readonly<Record<Version, readonly string[]>>;
}

export interface PublicInput extends Pick<GatewayEvent, 'rawPath'> {
  readonly method: string;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly path: Readonly<Record<string, string>>;
}

export type ReadFile = (name: string) => Promise<Buffer>;

export interface PublicContext {
  readonly read: ReadFile;
  /** The origin of the download URLs of the accounts' files. */
  readonly downloadOrigin: () => string;
  readonly issuer: () => string;
}

/** An endpoint without version and token. */
export interface PublicOperation<R extends string = string> extends Common<R>, Partial<Documented>, Routed {
  readonly public: true;
  /** JSON Schemas of the bodies, by media type. */
  readonly produces?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly redirectsTo?: string;
  /** The files that the endpoint serves, built with its bundle (infra/build/static-files.ts). */
  readonly files?: readonly string[];
  /** Whether the handler needs the origin of download URLs. */
  readonly downloads?: true;
  /** Whether the handler needs the issuer of access tokens. */
  readonly namesIssuer?: true;
  readonly refuses?: readonly ProblemCode[];
  handle(input: PublicInput, context: PublicContext): Promise<PublicReply> | PublicReply;
}

export type Endpoint = Operation | PublicOperation;

/**
 * Declares an endpoint, from which its Lambda, grants and routes derive. Its handler receives the stores of `uses`.
 */
export type DeclareEndpoint<All> = <
  const R extends string,
  const U extends UsesOf<All>,
  B = undefined,
  const L extends ListDeclaration | undefined = undefined,
>(
  declaration: OperationDeclaration<R, B, L, StoresOf<All, U>, U>,
) => Operation;

const LIST_COST = 2;
const WRITE_COST = 5;

/** The stores of the changes that a 412 names (CONTRACT §7). */
export const CHANGES: Uses = { events: ['list'], outbox: ['readWaiting'] };

/** Adds the constants of an operation, and to `uses` the stores that the pipeline itself reads. */
export const declareEndpoint = (declaration: OperationDeclaration): Operation => {
  const { body, list, returns, ifMatch } = declaration;
  const routed = routedBy(declaration.route);
  const { method, path } = routed;
  const isWrite = method !== 'GET';
  const resource = isWrite ? undefined : (returns[200] ?? undefined);
  const all = Object.entries(resource?.relations ?? {}).filter(([, { parts }]) => !(parts && list));
  const reads = all.flatMap(([, { resources, versionIn, parts }]) =>
    resources.map(({ table }) => [
      table,
      ['find', ...(versionIn ? ['findCommitted'] : []), ...(parts ? ['rows'] : [])],
    ]),
  );
  const stores = { ...declaration.uses, ...Object.fromEntries(reads) };
  const parametersOf = (version: Version): string[] => {
    if (isWrite) return [DRY_RUN];
    if (!resource) return [];
    return ['fields', ...(all.length > 0 ? ['expand'] : []), ...(list ? listParameters(list, version) : [])];
  };
  return {
    ...(ifMatch?.events && { selectsBy: { events: { filters: ['resource_id'] } } }),
    ...declaration,
    ...routed,
    stores,
    uses: { ...stores, ...(ifMatch?.events && CHANGES) },
    isWrite,
    creates: Object.values(returns).find((one) => body !== undefined && one?.create === body) ?? undefined,
    hasId: path.includes('{'),
    cost: isWrite ? WRITE_COST : list ? LIST_COST : 1,
    mediaTypes: MEDIA_TYPES[method],
    resource,
    relations: Object.fromEntries(all),
    scopesOfExpand: all.flatMap(([name, { resources }]) => {
      const [first, second] = resources;
      return first && !second ? [[name, `${first.scope}:read` as Scope] as const] : [];
    }),
    parameters: { v1: parametersOf('v1'), v2: parametersOf('v2') },
  };
};

export const DRY_RUN = 'dry_run';

const JSON_TYPE = 'application/json';
const MEDIA_TYPES: { readonly [M in Method]?: readonly string[] } = {
  POST: [JSON_TYPE],
  PUT: [JSON_TYPE],
  PATCH: [JSON_TYPE, 'application/merge-patch+json'],
};

const routedBy = (route: string): Routed => {
  const [method, path] = route.split(' ');
  return { method: method as Method, path: path as string };
};

export const publicEndpoint = (declaration: Omit<PublicOperation, 'public' | keyof Routed>): PublicOperation => ({
  ...declaration,
  ...routedBy(declaration.route),
  public: true,
});

export const isPublic = (declared: Endpoint): declared is PublicOperation => 'public' in declared;

/** The members with these ids (CONTRACT §4). */
export const IDS = 'ids';
export const CURSOR_PARAMETERS = ['after', 'limit'];
export const OFFSET_PARAMETERS = ['page', 'per_page'];
/** Bounds of `created_at` (CONTRACT §4, Filters). */
export const TIME_PARAMETERS = ['created_from', 'created_before'];

const listParameters = (list: ListDeclaration, version: Version): string[] => {
  const { filters, sorts = [], lookups = [], isReadByIds } = list;
  const styles = [...CURSOR_PARAMETERS, ...(version === 'v1' ? OFFSET_PARAMETERS : [])];
  const bounds = sorts.flatMap(({ from, before }) => [from, before]);
  return [...filters, ...lookups, ...(isReadByIds ? [IDS] : []), ...bounds, ...TIME_PARAMETERS, 'sort', ...styles];
};
