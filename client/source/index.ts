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

type In<V extends Version, Name extends string> =
  Resources[V] extends Readonly<Record<Name, infer S extends Shape>> ? S : never;

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

/** The service's collections, in the terms of one version. */
export interface Client<V extends Version> {
  readonly customers: Readable<In<V, 'customers'>> & Creatable<In<V, 'customers'>> & Editable<In<V, 'customers'>>;
  readonly invoices: Invoices<In<V, 'invoices'>, In<V, 'payments'>>;
  readonly invoiceItems: Readable<In<V, 'invoice-items'>> &
    Creatable<In<V, 'invoice-items'>> &
    Editable<In<V, 'invoice-items'>>;
  readonly payments: Readable<In<V, 'payments'>> & Creatable<In<V, 'payments'>>;
  readonly refunds: Readable<In<V, 'refunds'>> & Creatable<In<V, 'refunds'>>;
  readonly exports: Exports<In<V, 'exports'>>;
}

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
  return {
    customers: editableCollection(made, '/customers'),
    invoices: invoicesOf(made),
    invoiceItems: editableCollection(made, '/invoice-items'),
    payments: factCollection(made, '/payments'),
    refunds: factCollection(made, '/refunds'),
    exports: exportsOf(made),
  };
};
