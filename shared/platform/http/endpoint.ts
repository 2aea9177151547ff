import type { Relation, Resource, ResourceEntry, Sort } from '#shared/platform/declarations/resource.ts';
import type { Selected, Stores, StoresOf, Uses, UsesOf } from '#shared/platform/declarations/store-methods.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import type { Violation } from '#shared/platform/problem.ts';
import type { PageRequest, RequestedAttribute } from '#shared/platform/store/page.ts';
import type { Body } from '#shared/platform/wire/body.ts';
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
}

interface CodeWithStatus {
  readonly code: ProblemCode;
  readonly status: number;
}

/** An endpoint in every version, for callers with its scope. */
export interface Operation<
  R extends string = string,
  B = unknown,
  L extends ListDeclaration | undefined = ListDeclaration | undefined,
  S = Stores,
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

export interface PublicInput extends Pick<GatewayEvent, 'rawPath'> {
  readonly method: string;
  /** By lower-case name. */
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
export interface PublicOperation<R extends string = string> extends Common<R>, Partial<Documented> {
  readonly public: true;
  /** JSON Schemas of the bodies, by media type. */
  readonly produces?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly redirectsTo?: string;
  /** The files that it serves, built with its bundle (infra/build/static-files.ts). */
  readonly files?: readonly string[];
  /** Whether it needs the origin of download URLs. */
  readonly downloads?: true;
  /** Whether it needs the issuer of access tokens. */
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
  declaration: Operation<R, B, L, StoresOf<All, U>, U>,
) => Operation;

/**
 * The pipeline reads the resources that `expand` embeds, and the changes that a 412 names, so their stores are added to
 * `uses`.
 */
export const declareEndpoint = (operation: Operation): Operation => {
  const reads = Object.values(relationsOf(operation)).flatMap(({ resources, versionIn, parts }) =>
    resources.map(({ table }) => [
      table,
      ['find', ...(versionIn ? ['findCommitted'] : []), ...(parts ? ['rows'] : [])],
    ]),
  );
  const changes = operation.ifMatch?.events && { events: ['list'], outbox: ['readWaiting'] };
  return {
    ...(changes && { selectsBy: { events: ['resource_id'] } }),
    ...operation,
    uses: { ...operation.uses, ...changes, ...Object.fromEntries(reads) },
  };
};

export const publicEndpoint = (declaration: Omit<PublicOperation, 'public'>): PublicOperation => ({
  ...declaration,
  public: true,
});

export const isPublic = (declared: Endpoint): declared is PublicOperation => 'public' in declared;

export const routeOf = ({ route }: Pick<Endpoint, 'route'>): { method: Method; path: string } => {
  const [method, path] = route.split(' ');
  return { method: method as Method, path: path as string };
};

export const isWrite = (endpoint: Pick<Endpoint, 'route'>): boolean => routeOf(endpoint).method !== 'GET';

export const hasId = (endpoint: Pick<Endpoint, 'route'>): boolean => endpoint.route.includes('{');

export const resourceOfGet = (operation: Operation): Resource | undefined =>
  routeOf(operation).method === 'GET' ? (operation.returns[200] ?? undefined) : undefined;

/** The relations that `expand` can embed. */
export const relationsOf = (operation: Operation): Readonly<Record<string, Relation>> =>
  Object.fromEntries(
    Object.entries(resourceOfGet(operation)?.relations ?? {}).filter(([, { parts }]) => !(parts && operation.list)),
  );
