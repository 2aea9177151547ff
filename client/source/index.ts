import { camelCase, createCollection } from './collection.ts';
import { type EventFeed, eventFeed } from './events.ts';
import { type ExportFiles, exportFiles } from './exports.ts';
import { OPERATIONS } from './operations.ts';
import type { Action, Below, Creatable, Deletable, Patchable, Readable, Replaceable, Shape } from './shapes.ts';
import { type ClientOptions, createTransport, type Transport, type Version } from './transport.ts';
import type { Resources } from './types.ts';

export type { CallOptions } from './attempt.ts';
export { type ClientCode, type ErrorCode, InvoicingError } from './error.ts';
export type { EventFeed, Feed, FollowQuery, Position } from './events.ts';
export type { ExportFiles, WaitOptions } from './exports.ts';
export type { CursorPage, Listing, OffsetPage } from './listing.ts';
export type * from './shapes.ts';
export type { ClientOptions, Version } from './transport.ts';
export type * from './types.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts';

/** The collections of the service, in the form of one version. */
export type Client<V extends Version> = {
  readonly [Name in keyof Resources[V] as Camel<Name>]: Collection<V, Extract<Resources[V][Name], Shape>> &
    (Name extends keyof Additions<V> ? Additions<V>[Name] : unknown);
};

/**
 * Creates a client. Every call rejects with an InvoicingError, with the reason of an aborted signal, or with a
 * TypeError for an invalid argument, such as an id that is not an integer.
 * @throws TypeError for an invalid `baseUrl` or `token`
 */
export const createClient = <const V extends Version = 'v1'>(options: ClientOptions<V>): Client<V> => {
  const transport = createTransport(options);
  const collections = Object.entries(OPERATIONS).map(([name, operations]) => [
    camelCase(name),
    { ...createCollection(transport.send, `/${name}`, operations), ...ADDITIONS[name]?.(transport) },
  ]);
  return Object.fromEntries(collections);
};

/** A collection has the methods whose bodies its shape has. */
type Collection<V extends Version, S extends Shape> = Readable<S> &
  (S extends { readonly create: object } ? Creatable<S> : unknown) &
  (S extends { readonly update: object } ? Patchable<S> : unknown) &
  (S extends { readonly replace: object } ? Replaceable<S> : unknown) &
  (S extends { readonly delete: true } ? Deletable : unknown) &
  (S extends { readonly actions: infer A extends object } ? Actions<A> : unknown) &
  (S extends { readonly lists: infer Names } ? Lists<V, Names> : unknown);

type Actions<A> = {
  readonly [Name in keyof A as Camel<Name>]: Action<A[Name]>;
};

type Lists<V extends Version, Names> = {
  readonly [Name in Names & keyof Resources[V] as Camel<Name>]: (
    id: number,
  ) => Readable<Below<Extract<Resources[V][Name], Shape>>>;
};

type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

/** The methods of a collection that send several requests. */
interface Additions<V extends Version> {
  readonly exports: ExportFiles<Resources[V]['exports']>;
  readonly events: EventFeed<Resources[V]['events']>;
}

const ADDITIONS: Readonly<Record<string, (transport: Transport) => object>> = {
  exports: exportFiles,
  events: eventFeed,
} satisfies Record<keyof Additions<Version>, unknown>;
