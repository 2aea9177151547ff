import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import { createListing } from './listing.ts';
import { isApplied } from './merge.ts';
import { delayOf, pause } from './retry.ts';
import type {
  Cancelable,
  Creatable,
  CreateOptions,
  Editable,
  Readable,
  Row,
  Selection,
  Shape,
  Whole,
  WriteOptions,
} from './shapes.ts';
import type { Send } from './transport.ts';

export const readMethods = <S extends Shape>(send: Send, path: string): Readable<S> => ({
  // The type of the rows depends on the overload, which TypeScript cannot check here.
  list: (query?: object, options?: CallOptions) => createListing(send, path, query, options) as never,
  async get<const Q extends Selection<S>>(id: number, query?: Q, options?: CallOptions) {
    return (await send<Row<S, Q>>({ method: 'GET', path: `${path}/${id}`, query }, options)).data;
  },
  async read(id, options) {
    const { data, response } = await send<Whole<S>>({ method: 'GET', path: `${path}/${id}` }, options);
    return { data, etag: response.headers.get('etag') ?? '' };
  },
});

export const createMethods = <S extends Shape>(send: Send, path: string): Creatable<S> => ({
  create: async (body, options) =>
    (await send<Whole<S>>({ method: 'POST', path, body, headers: keyHeader(options) }, options)).data,
});

export const cancelMethods = <S extends Shape>(send: Send, path: string): Cancelable<S> => ({
  async cancel(id, options) {
    const headers = { ...keyHeader(options), ...ifMatchHeader(options) };
    return (await send<Whole<S>>({ method: 'POST', path: `${path}/${id}/cancel`, headers }, options)).data;
  },
});

export const editMethods = <S extends Shape>(send: Send, path: string): Editable<S> => {
  const { read } = readMethods<S>(send, path);
  const write = async (method: string, id: number, body?: unknown, options?: WriteOptions) =>
    (await send<Whole<S>>({ method, path: `${path}/${id}`, body, headers: ifMatchHeader(options) }, options)).data;

  /** After a lost response, the ETag cannot tell whether this client changed the resource. Its fields can. */
  const findApplied = async (id: number, change: unknown, options?: CallOptions) => {
    const { data } = await read(id, options);
    return isApplied(data, change) ? data : undefined;
  };

  return {
    patch: (id, change, options) => write('PATCH', id, change, options),
    replace: (id, body, options) => write('PUT', id, body, options),
    async update(id, change, options = {}) {
      for (let rereads = 0; ; rereads += 1) {
        const { data, etag } = await read(id, options);
        const patch = typeof change === 'function' ? await change(data) : change;
        if (patch === undefined) return data;
        try {
          return await write('PATCH', id, patch, { ...options, ifMatch: etag });
        } catch (error) {
          if (!hasCode(error, 'precondition-failed') || rereads === MAX_REREADS) throw error;
          const applied = error.isUnsure && (await findApplied(id, patch, options));
          if (applied) return applied;
          await pause(delayOf(1), options.signal);
        }
      }
    },
    async delete(id, options) {
      try {
        await write('DELETE', id, undefined, options);
      } catch (error) {
        // An earlier attempt deleted the resource, and its response was lost.
        if (!hasCode(error, 'not-found') || !error.isUnsure) throw error;
      }
    },
  };
};

/** How often `update` starts again after a conflict. */
const MAX_REREADS = 10;

const hasCode = (error: unknown, code: string): error is InvoicingError =>
  error instanceof InvoicingError && error.code === code;

/** One key for all attempts of an operation (CONTRACT §8). */
const keyHeader = ({ idempotencyKey = crypto.randomUUID() }: CreateOptions = {}) => ({
  'idempotency-key': idempotencyKey,
});

const ifMatchHeader = ({ ifMatch }: WriteOptions = {}) => ({ 'if-match': ifMatch });
