import type { PageRequest, RequestedAttribute } from '#shared/platform/data/page.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Resource } from '#shared/platform/resource.ts';
import type { Body } from '#shared/platform/wire/body.ts';
import type { Caller } from './http/auth/caller.ts';
import type { RequestContext } from './http/pipeline/context.ts';
import type { PublicReply, Reply } from './http/reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Names<R extends string> = R extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** The stores an endpoint may reach, and by which of their methods; its grants derive from it. */
export type Uses = { readonly [S in keyof Product['stores']]?: readonly (keyof Product['stores'][S] & string)[] };

type StoresFor<U extends Uses> = {
  readonly [S in keyof U & keyof Product['stores']]: Pick<
    Product['stores'][S],
    NonNullable<U[S]>[number] & keyof Product['stores'][S]
  >;
};

/** The part of an input that only some endpoints have: the page of a list, or what a GET of a member shows. */
type ReadInput<R extends string, L> = L extends object
  ? { readonly page: PageRequest }
  : R extends `GET ${string}`
    ? {
        /** The stored attributes that the answer needs; all without it. */
        readonly projection: readonly RequestedAttribute[] | undefined;
      }
    : unknown;

/** What every handler is given: parsed, validated and authorized. */
export interface Input<R extends string = string, B = unknown> {
  /** The ids in the path, by their names in the route. */
  readonly path: { readonly [K in Names<R>]: number };
  readonly body: B;
  readonly caller: Caller;
  /** RFC 3339. */
  readonly now: string;
  readonly newId: () => number;
  /** Refuses an act that a conditional rule forbids to the caller (§5; CONTRACT §2). */
  readonly permit: (act: Product['act']) => void;
  /** Refuses a caller without a scope that only the body or the member tells of (CONTRACT §2). */
  readonly requireScope: (scope: Product['scope']) => void;
  /** Passes a member on whose tag satisfies `If-Match`, and refuses any other (CONTRACT §7). */
  readonly checkIfMatch: <T extends Entity>(member: T) => T;
}

interface Common<R extends string> {
  /** Method and path template, without a version: `GET /orders/{order_id}`. */
  readonly route: R;
}

/** The texts of the OpenAPI document, for readers of the documentation. */
export interface Documented {
  readonly summary: string;
  readonly description: string;
}

/** A collection, and the fields that it can be filtered by. */
interface ListDeclaration {
  readonly filters: readonly string[];
}

/** A code with a status that is not its usual one. */
interface CodeWithStatus {
  readonly code: Product['code'];
  readonly status: number;
}

/** An endpoint under every version, for a caller with a scope. */
export interface Operation<
  R extends string = string,
  U extends Uses = Uses,
  B = unknown,
  L extends ListDeclaration | undefined = ListDeclaration | undefined,
> extends Common<R>,
    Documented {
  readonly scope: Product['scope'];
  /** Whether a POST needs an Idempotency-Key (CONTRACT §8); other methods take none. */
  readonly idempotency?: 'required' | 'optional';
  readonly uses: U;
  /** The resource that it answers with, by success status; null where there is no body. */
  readonly returns: { readonly [Status in Reply['status']]?: Resource | null };
  /** The actions on which conditional rules decide (CONTRACT §2); a rule that forbids one is `policy-denied`. */
  readonly permits?: readonly Product['act']['action'][];
  /** The codes of its own rules, beyond those of the pipeline's steps. */
  readonly refuses?: readonly (Product['code'] | CodeWithStatus)[];
  readonly body?: Body<B>;
  readonly list?: L;
  /** Whether a member that it answers with may be unfinished, so that clients read it again (`pending`). */
  readonly polled?: true;
  /** The queue that it sends messages to. */
  readonly sendsTo?: Product['queue'];
  /** The metric that a committed reply's amount is added to. */
  readonly metric?: Product['moneyMetric'];
  handle(input: Input<R, B> & ReadInput<R, L>, stores: StoresFor<U>): Promise<Reply> | Reply;
}

/** What a public endpoint's handler is given. */
export interface PublicInput extends Pick<RequestContext, 'method' | 'rawPath' | 'headers'> {
  /** The path's parameters, by their names in the route: any text. */
  readonly path: Readonly<Record<string, string>>;
}

/** Reads a file that is deployed beside the bundle. */
export type ReadFile = (name: string) => Promise<Buffer>;

/** An endpoint without version, token or resource. */
export interface PublicOperation<R extends string = string> extends Common<R>, Partial<Documented> {
  readonly public: true;
  /** The media types of its answers. */
  readonly produces?: readonly string[];
  /** The path that it redirects to, when it has no content. */
  readonly redirectsTo?: string;
  /** The files that it serves; they are made with its bundle (infra/build/static-files.ts) and lie beside it. */
  readonly files?: readonly string[];
  readonly refuses?: readonly Product['code'][];
  handle(input: PublicInput, read: ReadFile): Promise<PublicReply> | PublicReply;
}

export type Endpoint = Operation | PublicOperation;

/**
 * Declares one endpoint; the value is all that the Lambda, its grants and its routes derive from. The related
 * resources that `expand` embeds are read by the pipeline, so the endpoint uses their stores, too.
 */
export function endpoint<
  const R extends string,
  const U extends Uses,
  B = undefined,
  const L extends ListDeclaration | undefined = undefined,
>(declaration: Operation<R, U, B, L>): Operation;
// The overload erases the type parameters: the table holds endpoints of every type, and the pipeline gives each handler
// the input that its endpoint declares.
export function endpoint(operation: Operation): Operation {
  const embedded = Object.values(resourceOfGet(operation)?.relations ?? {});
  const reads = Object.fromEntries(embedded.map(({ resource }) => [resource.table, ['find']]));
  return { ...operation, uses: { ...operation.uses, ...reads } };
}

export const publicEndpoint = (declaration: Omit<PublicOperation, 'public'>): PublicOperation => ({
  ...declaration,
  public: true,
});

export const isPublic = (declared: Endpoint): declared is PublicOperation => 'public' in declared;

/** The method and the path template of a route. */
export const routeOf = ({ route }: Pick<Endpoint, 'route'>): { method: Method; path: string } => {
  const [method, path] = route.split(' ');
  return { method: method as Method, path: path as string };
};

/** Whether an endpoint's path names a member. */
export const hasId = (endpoint: Pick<Endpoint, 'route'>): boolean => endpoint.route.includes('{');

/** The resource that a GET answers with. */
export const resourceOfGet = (operation: Operation): Resource | undefined =>
  routeOf(operation).method === 'GET' ? (operation.returns[200] ?? undefined) : undefined;
