import { cancelable, creatable, editable, readable } from './collection.ts';
import { type Exports, exportsOf } from './exports.ts';
import type { Cancelable, Creatable, Editable, Readable, Shape } from './shapes.ts';
import { type ClientOptions, type Transport, transport, type Version } from './transport.ts';
import type { Resources } from './types.ts';

export type { CallOptions } from './attempt.ts';
export { type ClientCode, type ErrorCode, InvoicingError } from './error.ts';
export type { Exports, WaitOptions } from './exports.ts';
export type { CursorPage, Listing, OffsetPage } from './listing.ts';
export type * from './shapes.ts';
export type { ClientOptions, Version } from './transport.ts';
export type * from './types.ts';

/** `invoice-items`: `invoiceItems`. */
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

/** The methods of a collection, by what it takes. */
type Collection<S extends Shape> = Readable<S> &
  (S extends { readonly create: object } ? Creatable<S> : unknown) &
  (S extends { readonly update: object } ? Editable<S> : unknown);

/** Below an invoice nothing is filtered: the path does. */
type Nested<S extends Shape> = Pick<S, 'member' | 'expand' | 'offset'> & { readonly filter: unknown };

export interface Invoices<S extends Shape, P extends Shape>
  extends Readable<S>,
    Creatable<S>,
    Editable<S>,
    Cancelable<S> {
  /** The payments of an invoice. */
  payments(id: number): Readable<Nested<P>>;
}

/** The collections that have methods of their own. */
interface SpecialCollections<V extends Version> {
  readonly invoices: Invoices<Resources[V]['invoices'], Resources[V]['payments']>;
  readonly exports: Exports<Resources[V]['exports']>;
}

/** The service's collections, in the terms of one version: every one that the document has. */
export type Client<V extends Version> = {
  readonly [Name in keyof Resources[V] as Camel<Name>]: Name extends keyof SpecialCollections<V>
    ? SpecialCollections<V>[Name]
    : Collection<Resources[V][Name] & Shape>;
};

const factCollection = <S extends Shape>({ send }: Transport, path: string) => ({
  ...readable<S>(send, path),
  ...creatable<S>(send, path),
});

const editableCollection = <S extends Shape>(transport: Transport, path: string) => ({
  ...factCollection<S>(transport, path),
  ...editable<S>(transport.send, path),
});

const invoicesOf = <S extends Shape, P extends Shape>(transport: Transport): Invoices<S, P> => {
  const path = '/invoices';
  const { send } = transport;
  return {
    ...editableCollection<S>(transport, path),
    ...cancelable<S>(send, path),
    payments: (id) => readable<Nested<P>>(send, `${path}/${id}/payments`),
  };
};

/**
 * Makes a client of the service: for browsers, Node and Lambda, with nothing but `fetch` and streams.
 * @throws InvoicingError from every call, whatever goes wrong; the reason of a signal that is aborted
 */
export const createClient = <const V extends Version = 'v1'>(options: ClientOptions<V>): Client<V> => {
  const made = transport(options);
  const client: Client<'v1'> = {
    customers: editableCollection(made, '/customers'),
    invoices: invoicesOf(made),
    invoiceItems: editableCollection(made, '/invoice-items'),
    payments: factCollection(made, '/payments'),
    refunds: factCollection(made, '/refunds'),
    exports: exportsOf(made),
  };
  // The versions have the same collections, and differ in types alone.
  return client as unknown as Client<V>;
};
