import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import { listing } from './listing.ts';
import { isThere } from './merge.ts';
import { delayOf, pause } from './retry.ts';
import type { Cancelable, Creatable, CreateOptions, Editable, Readable, Shape, Whole, WriteOptions } from './shapes.ts';
import type { Send } from './transport.ts';

/** So many others may be faster, one after the other. */
const MOST_REREADS = 10;

const is = (error: unknown, code: string): error is InvoicingError =>
  error instanceof InvoicingError && error.code === code;

/** The headers of a POST: one key for all attempts of one operation (CONTRACT §8). */
const withKey = ({ idempotencyKey = crypto.randomUUID() }: CreateOptions = {}) => ({
  'idempotency-key': idempotencyKey,
});

const matching = ({ ifMatch }: WriteOptions = {}) => ({ 'if-match': ifMatch });

/** The reads of a collection. */
export const readable = <S extends Shape>(send: Send, path: string): Readable<S> => ({
  list: (query?: object, options?: CallOptions) => listing(send, path, query, options) as never,
  get: async (id, query, options) =>
    (await send({ method: 'GET', path: `${path}/${id}`, query }, options)).data as never,
  async read(id, options) {
    const { data, response } = await send<Whole<S>>({ method: 'GET', path: `${path}/${id}` }, options);
    return { data, etag: response.headers.get('etag') ?? '' };
  },
});

export const creatable = <S extends Shape>(send: Send, path: string): Creatable<S> => ({
  create: async (body, options) =>
    (await send<Whole<S>>({ method: 'POST', path, body, headers: withKey(options) }, options)).data,
});

export const cancelable = <S extends Shape>(send: Send, path: string): Cancelable<S> => ({
  async cancel(id, options) {
    const headers = { ...withKey(options), ...matching(options) };
    return (await send<Whole<S>>({ method: 'POST', path: `${path}/${id}/cancel`, headers }, options)).data;
  },
});

/** The changes of a collection's members. */
export const editable = <S extends Shape>(send: Send, path: string): Editable<S> => {
  const { read } = readable<S>(send, path);
  const write = async (method: string, id: number, body?: unknown, options?: WriteOptions) =>
    (await send<Whole<S>>({ method, path: `${path}/${id}`, body, headers: matching(options) }, options)).data;

  /** Of a change whose answer was lost, the tag alone cannot tell whether it was ours: what it asked for can. */
  const landed = async (id: number, change: unknown, options?: CallOptions) => {
    const { data } = await read(id, options);
    return isThere(data, change) ? data : undefined;
  };

  return {
    patch: (id, change, options) => write('PATCH', id, change, options),
    replace: (id, body, options) => write('PUT', id, body, options),
    async update(id, change, options = {}) {
      for (let rereads = 0; ; rereads += 1) {
        const { data, etag } = await read(id, options);
        const decided = typeof change === 'function' ? await change(data) : change;
        if (decided === undefined) return data;
        try {
          return await write('PATCH', id, decided, { ...options, ifMatch: etag });
        } catch (error) {
          if (!is(error, 'precondition-failed') || rereads === MOST_REREADS) throw error;
          const ours = error.isUnsure && (await landed(id, decided, options));
          if (ours) return ours;
          await pause(delayOf(1), options.signal);
        }
      }
    },
    async delete(id, options) {
      try {
        await write('DELETE', id, undefined, options);
      } catch (error) {
        // It is gone, and the answer to an earlier attempt was lost: that one has deleted it.
        if (!is(error, 'not-found') || !error.isUnsure) throw error;
      }
    },
  };
};
