import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import { createListing } from './listing.ts';
import { isApplied } from './merge.ts';
import { delayOf, pause } from './retry.ts';
import type {
  Creatable,
  Created,
  CreateOptions,
  Deletable,
  DryRunOptions,
  Patchable,
  Readable,
  Replaceable,
  Row,
  Selection,
  Shape,
  WriteOptions,
} from './shapes.ts';
import type { Send } from './transport.ts';

/** The operations of a collection and its members, besides GET. */
export interface Operations {
  readonly methods: readonly (keyof WriteMethods)[];
  readonly actions: readonly ActionOperation[];
  /** The lists below a member. */
  readonly lists: readonly string[];
}

interface ActionOperation {
  readonly name: string;
  readonly hasBody: boolean;
}

/** The methods of a collection. The generated types give each collection its own types. */
export const createCollection = (send: Send, path: string, { methods, actions, lists }: Operations): object => {
  const writes = writeMethods(send, path);
  const below = (name: string) => (id: number) => readMethods(send, `${memberPath(path, id)}/${name}`);
  return {
    ...readMethods(send, path),
    ...Object.fromEntries(methods.map((name) => [name, writes[name]])),
    ...Object.fromEntries(actions.map((action) => [camelCase(action.name), actionMethod(send, path, action)])),
    ...Object.fromEntries(lists.map((name) => [camelCase(name), below(name)])),
  };
};

/** `invoice-items`: `invoiceItems`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * A caller without types can pass any text, and the path of `..` is that of another collection.
 * @throws TypeError for an id that the service cannot have issued (CONTRACT §3)
 */
export const memberPath = (path: string, id: number): string => {
  const number = Number(id);
  if (number > 0 && Number.isSafeInteger(number) && String(number) === String(id)) return `${path}/${number}`;
  const given = JSON.stringify(String(id));
  throw new TypeError(`An id must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${given}.`);
};

const readMethods = <S extends Shape>(send: Send, path: string): Readable<S> => ({
  // The type of the rows depends on the overload, which TypeScript cannot check here.
  list: (query?: object, options?: CallOptions) => createListing(send, path, query, options) as never,
  async get<const Q extends Selection<S>>(id: number, query?: Q, options?: CallOptions) {
    return (await send<Row<S, Q>>({ method: 'GET', path: memberPath(path, id), query }, options)).data;
  },
  async read(id, options) {
    const { data, response } = await send<S['member']>({ method: 'GET', path: memberPath(path, id) }, options);
    return { data, etag: response.headers.get('etag') ?? '' };
  },
});

interface WriteMethods extends Creatable<Shape>, Patchable<Shape>, Replaceable<Shape>, Deletable {}

const writeMethods = (send: Send, path: string): WriteMethods => {
  const write = async (method: string, id: number, body?: unknown, options?: WriteOptions) => {
    const [query, headers] = [dryRunQuery(options), ifMatchHeader(options)];
    return (await send<object>({ method, path: memberPath(path, id), query, body, headers }, options)).data;
  };
  const patch: WriteMethods['patch'] = (id, change, options) => write('PATCH', id, change, options);
  return {
    async create<const O extends CreateOptions>(body: unknown, options?: O) {
      const [query, headers] = [dryRunQuery(options), keyHeader(options)];
      return (await send<Created<Shape, O>>({ method: 'POST', path, query, body, headers }, options)).data;
    },
    patch,
    update: updateMethod(readMethods(send, path), patch),
    replace: (id, body, options) => write('PUT', id, body, options),
    async delete(id, options) {
      try {
        await write('DELETE', id, undefined, options);
      } catch (error) {
        // An earlier attempt deleted the resource, and its response was lost.
        if (!hasCode(error, 'not-found') || !error.isUnsure || options?.dryRun) throw error;
      }
    },
  };
};

const updateMethod =
  ({ read }: Readable<Shape>, patch: WriteMethods['patch']): WriteMethods['update'] =>
  async (id, change, options = {}) => {
    for (let rereads = 0; ; rereads += 1) {
      const { data, etag } = await read(id, options);
      const patched = typeof change === 'function' ? await change(data) : change;
      if (patched === undefined) return data;
      try {
        return await patch(id, patched, { ...options, ifMatch: etag });
      } catch (error) {
        if (!hasCode(error, 'precondition-failed') || rereads === MAX_REREADS) throw error;
        // After a lost response, the ETag cannot tell whether this client changed the resource. Its fields can.
        const current = error.isUnsure && (await read(id, options)).data;
        if (current && isApplied(current, patched)) return current;
        await pause(delayOf(1), options.signal);
      }
    }
  };

const actionMethod =
  (send: Send, path: string, { name, hasBody }: ActionOperation) =>
  async (id: number, ...rest: readonly unknown[]) => {
    const [body, options] = (hasBody ? rest : [undefined, ...rest]) as [unknown, CreateOptions & WriteOptions];
    const headers = { ...keyHeader(options), ...ifMatchHeader(options) };
    const query = dryRunQuery(options);
    return (await send({ method: 'POST', path: `${memberPath(path, id)}/${name}`, query, body, headers }, options))
      .data;
  };

/** The maximum number of times that `update` starts again after a conflict. */
const MAX_REREADS = 10;

const hasCode = (error: unknown, code: string): error is InvoicingError =>
  error instanceof InvoicingError && error.code === code;

/** One key for all attempts of an operation (CONTRACT §8). */
const keyHeader = ({ idempotencyKey = crypto.randomUUID() }: CreateOptions = {}) => ({
  'idempotency-key': idempotencyKey,
});

const dryRunQuery = ({ dryRun }: DryRunOptions = {}) => ({ dry_run: dryRun });

const ifMatchHeader = ({ ifMatch }: WriteOptions = {}) => ({ 'if-match': ifMatch });
