import { cancelMethods, createMethods, editMethods, readMethods } from './collection.ts';
import { type Exports, exportsOf } from './exports.ts';
import type { Cancelable, Creatable, Editable, Readable, Shape } from './shapes.ts';
import { type ClientOptions, createTransport, type Transport, type Version } from './transport.ts';
import type { Resources } from './types.ts';

export type { CallOptions } from './attempt.ts';
export { type ClientCode, type ErrorCode, InvoicingError } from './error.ts';
export type { Exports, WaitOptions } from './exports.ts';
export type { CursorPage, Listing, OffsetPage } from './listing.ts';
export type * from './shapes.ts';
export type { ClientOptions, Version } from './transport.ts';
export type * from './types.ts';

/** The collections of the service, in the form of one version. */
export type Client<V extends Version> = {
  readonly [Name in keyof Resources[V] as Camel<Name>]: Name extends keyof SpecialCollections<V>
    ? SpecialCollections<V>[Name]
    : Collection<Resources[V][Name] & Shape>;
};

/** Creates a client. Every call rejects with an InvoicingError, or with the reason of an aborted signal. */
export const createClient = <const V extends Version = 'v1'>(options: ClientOptions<V>): Client<V> => {
  const transport = createTransport(options);
  const client: Client<'v1'> = {
    customers: editableCollection(transport, '/customers'),
    invoices: invoicesOf(transport),
    invoiceItems: editableCollection(transport, '/invoice-items'),
    payments: immutableCollection(transport, '/payments'),
    refunds: immutableCollection(transport, '/refunds'),
    exports: exportsOf(transport),
    events: immutableCollection(transport, '/events'),
  };
  // A cast: the versions have the same collections and differ only in their types.
  return client as unknown as Client<V>;
};

export interface Invoices<S extends Shape, P extends Shape>
  extends Readable<S>,
    Creatable<S>,
    Editable<S>,
    Cancelable<S> {
  payments(id: number): Readable<Nested<P>>;
}

/** `invoice-items`: `invoiceItems`. */
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

/** A collection has the methods whose bodies its shape has. */
type Collection<S extends Shape> = Readable<S> &
  (S extends { readonly create: object } ? Creatable<S> : unknown) &
  (S extends { readonly update: object } ? Editable<S> : unknown);

/** A list below an invoice has no filters: the path selects its rows. */
type Nested<S extends Shape> = Pick<S, 'member' | 'expand' | 'offset'> & { readonly filter: unknown };

/** The collections with further methods. */
interface SpecialCollections<V extends Version> {
  readonly invoices: Invoices<Resources[V]['invoices'], Resources[V]['payments']>;
  readonly exports: Exports<Resources[V]['exports']>;
}

const immutableCollection = <S extends Shape>({ send }: Transport, path: string) => ({
  ...readMethods<S>(send, path),
  ...createMethods<S>(send, path),
});

const editableCollection = <S extends Shape>(transport: Transport, path: string) => ({
  ...immutableCollection<S>(transport, path),
  ...editMethods<S>(transport.send, path),
});

const invoicesOf = <S extends Shape, P extends Shape>(transport: Transport): Invoices<S, P> => {
  const path = '/invoices';
  const { send } = transport;
  return {
    ...editableCollection<S>(transport, path),
    ...cancelMethods<S>(send, path),
    payments: (id) => readMethods<Nested<P>>(send, `${path}/${id}/payments`),
  };
};
