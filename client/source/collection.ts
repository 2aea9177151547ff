import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import { createListing } from './listing.ts';
import { delayOf, pause } from './retry.ts';
import type {
  Creatable,
  CreateOptions,
  Deletable,
  Patchable,
  Readable,
  Replaceable,
  Row,
  Selection,
  Shape,
  WriteOptions,
} from './shapes.ts';
import type { Send } from './transport.ts';

interface ReadStatuses {
  readonly list: number;
  readonly get: number;
}

/** The operations of a collection and its members, with the declared status of their successes. */
export interface Operations {
  readonly statuses: ReadStatuses & Readonly<Partial<Record<'create' | 'patch' | 'replace' | 'delete', number>>>;
  readonly actions: Readonly<Record<string, ActionOperation>>;
  /** The lists below a member. */
  readonly lists: Readonly<Record<string, ReadStatuses>>;
}

interface ActionOperation {
  readonly status: number;
  readonly hasBody: boolean;
}

/** The methods of a collection. The generated types give each collection its own types. */
export const createCollection = (send: Send, path: string, { statuses, actions, lists }: Operations): object => ({
  ...readMethods(send, path, statuses),
  ...writeMethods(send, path, statuses),
  ...methods(actions, (name, action) => actionMethod(send, path, name, action)),
  ...methods(lists, (name, below) => (id: number) => readMethods(send, `${memberPath(path, id)}/${name}`, below)),
});

const methods = <T>(operations: Readonly<Record<string, T>>, methodOf: (name: string, operation: T) => unknown) =>
  Object.fromEntries(Object.entries(operations).map(([name, one]) => [camelCase(name), methodOf(name, one)]));

/** `invoice-items`: `invoiceItems`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * A caller without types can pass any text, and with `..` the path would be the path of another collection.
 * @throws TypeError for an id that the service cannot have issued (CONTRACT §3)
 */
export const memberPath = (path: string, id: number): string => {
  const number = Number(id);
  if (number > 0 && Number.isSafeInteger(number) && String(number) === String(id)) return `${path}/${number}`;
  const given = JSON.stringify(String(id));
  throw new TypeError(`An id must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${given}.`);
};

const readMethods = <S extends Shape>(send: Send, path: string, { list, get }: ReadStatuses): Readable<S> => ({
  list(query?: object, options?: CallOptions) {
    const request = { method: 'GET', path, status: list, property: 'data' } as const;
    // The type of the rows depends on the overload, which TypeScript cannot check here.
    return createListing(
      async (more) => (await send<never>({ ...request, query: { ...query, ...more } }, options)).data,
    ) as never;
  },
  async get<const Q extends Selection<S>>(id: number, query?: Q, options?: CallOptions) {
    const property = query?.fields ? undefined : 'id';
    const request = { method: 'GET', path: memberPath(path, id), query, status: get, property } as const;
    return (await send<Row<S, Q>>(request, options)).data;
  },
  async read(id, options) {
    const request = { method: 'GET', path: memberPath(path, id), status: get, property: 'id', header: 'etag' } as const;
    const { data, response } = await send<S['member']>(request, options);
    return { data, etag: response.headers.get('etag') as string };
  },
});

interface WriteMethods extends Creatable<Shape>, Patchable<Shape>, Replaceable<Shape>, Deletable {}

type AnyWriteOptions = CreateOptions & WriteOptions;

/** Sends writes, each with one key for all its attempts if the service accepts a key (CONTRACT §8). */
const writer = (send: Send, method: string, status: number) => {
  const isKeyed = method === 'POST' || method === 'PATCH';
  return async <T>(path: string, body: unknown, { idempotencyKey, ifMatch, dryRun, signal }: AnyWriteOptions = {}) => {
    const key = isKeyed ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    const headers = { 'idempotency-key': key, 'if-match': ifMatch };
    const property = method === 'DELETE' ? undefined : 'id';
    const request = { method, path, query: { dry_run: dryRun }, body, headers, status, property } as const;
    return (await send<T>(request, { signal })).data;
  };
};

const writeMethods = (send: Send, path: string, statuses: Operations['statuses']): Partial<WriteMethods> => {
  const { create, patch, replace, delete: remove } = statuses;
  const member = (method: string, status: number) => {
    const write = writer(send, method, status);
    return async (id: number, body: unknown, options?: AnyWriteOptions) =>
      write<object>(memberPath(path, id), body, options);
  };
  return {
    ...(create && { create: (body, options) => writer(send, 'POST', create)(path, body, options) }),
    ...(patch && patchMethods(readMethods(send, path, statuses), member('PATCH', patch))),
    ...(replace && { replace: member('PUT', replace) }),
    ...(remove && { delete: deleteMethod(member('DELETE', remove)) }),
  };
};

const patchMethods = ({ read }: Readable<Shape>, patch: Patchable<Shape>['patch']): Patchable<Shape> => ({
  patch,
  async update(id, change, options = {}) {
    for (let rereads = 0; ; rereads += 1) {
      const { data, etag } = await read(id, options);
      const patched = typeof change === 'function' ? await change(data) : change;
      if (patched === undefined) return data;
      try {
        return await patch(id, patched, { ...options, ifMatch: etag });
      } catch (error) {
        // No attempt has taken effect, because the response to a key with an effect is that effect's (CONTRACT §8).
        if (!hasCode(error, 'precondition-failed') || rereads === MAX_REREADS) throw error;
        await pause(delayOf(1), options.signal);
      }
    }
  },
});

const deleteMethod =
  (remove: (id: number, body: undefined, options?: WriteOptions) => Promise<object>): Deletable['delete'] =>
  async (id, options) => {
    try {
      await remove(id, undefined, options);
    } catch (error) {
      // An earlier attempt deleted the resource, and its response was lost.
      if (!hasCode(error, 'not-found') || !error.isUnsure) throw error;
    }
  };

const actionMethod = (send: Send, path: string, name: string, { status, hasBody }: ActionOperation) => {
  const write = writer(send, 'POST', status);
  return async (id: number, ...rest: readonly unknown[]) => {
    const [body, options] = (hasBody ? rest : [undefined, ...rest]) as [unknown, AnyWriteOptions];
    return write(`${memberPath(path, id)}/${name}`, body, options);
  };
};

/** The maximum number of times that `update` starts again after a conflict. */
const MAX_REREADS = 10;

const hasCode = (error: unknown, code: string): error is InvoicingError =>
  error instanceof InvoicingError && error.code === code;
