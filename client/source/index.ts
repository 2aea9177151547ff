import { creatable, editable, keyed, matching, readable } from './collection.ts';
import { type Exports, exportsOf } from './exports.ts';
import type { Creatable, CreateOptions, Editable, Readable, Shape, Whole, WriteOptions } from './shapes.ts';
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

export interface Invoices<S extends Shape, P extends Shape> extends Readable<S>, Creatable<S>, Editable<S> {
  /** Cancels a draft or an open invoice without payments; one that is canceled stays so. */
  cancel(id: number, options?: CreateOptions & WriteOptions): Promise<Whole<S>>;
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

const editableCollection = <S extends Shape>({ send }: Transport, path: string) => ({
  ...readable<S>(send, path),
  ...creatable<S>(send, path),
  ...editable<S>(send, path),
});

const factCollection = <S extends Shape>({ send }: Transport, path: string) => ({
  ...readable<S>(send, path),
  ...creatable<S>(send, path),
});

const invoicesOf = <S extends Shape, P extends Shape>(transport: Transport): Invoices<S, P> => {
  const path = '/invoices';
  const { send } = transport;
  return {
    ...editableCollection<S>(transport, path),
    async cancel(id, options) {
      const headers = { ...keyed(options), ...matching(options) };
      return (await send<Whole<S>>({ method: 'POST', path: `${path}/${id}/cancel`, headers }, options)).data;
    },
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
