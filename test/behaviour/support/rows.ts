import type { resources } from '#shared/invoicing/index.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import { respond } from '#test/support/receivers/webhook-receivers.ts';
import { bodyOf, createParents } from '#test/support/requests/examples.ts';
import { operations } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';
import { idMakers, type Make } from './id-makers.ts';
import { QUIET } from './prerequisites.ts';
import { patch, remove } from './requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any JSON
export type Row = any;
type CollectionName = (typeof resources)[ResourceName]['collection'];

/** Creates the rows of one list. Its rows have two values of each filter, in turn. */
interface Maker {
  /** Creates the i-th row, and returns its id. */
  create(i: number): Promise<number>;
  /** Absent if no request deletes a row. */
  remove?(id: number): Promise<Answer>;
  /** Waits until no worker changes the rows. */
  settle?(): Promise<unknown>;
  /** For a nested list: the id in its path. */
  readonly parent?: number;
}

const remover = (service: Service, collection: string) => (id: number) => remove(service, `/v1/${collection}/${id}`);

/** Two parents, and rows that belong to them in turn. */
const children = async (parent: () => Promise<number>, create: (parent: number, i: number) => Promise<number>) => {
  const parents = [await parent(), await parent()] as const;
  return { create: (i: number) => create(parents[i % 2 ? 1 : 0], i) };
};

/** Rows that a worker changes until they have a status. */
const settling = (service: Service, collection: string, status: string, create: Maker['create']): Maker => {
  const ids: number[] = [];
  return {
    async create(i) {
      ids.push(await create(i));
      return ids.at(-1) as number;
    },
    async settle() {
      for (const id of ids) await service.until(`/v1/${collection}/${id}`, ({ json }) => json.status === status);
    },
  };
};

/** The idMakers of lists whose filters are not ids of parents, or whose rows a worker changes. */
const MAKERS: Readonly<Partial<Record<CollectionName, (make: Make, service: Service) => Promise<Maker>>>> = {
  customers: async ({ create }, service) => ({
    create: (i) => create('customers', { name: `n${i}`, email: `${i % 2}@example.com` }),
    remove: remover(service, 'customers'),
  }),
  invoices: async ({ customer, invoice }, service) => ({
    ...(await children(customer, (customer_id, i) => invoice({ customer_id, status: i % 3 ? 'open' : 'draft' }))),
    remove: remover(service, 'invoices'),
  }),
  exports: async ({ create }, service) =>
    settling(service, 'exports', 'completed', (i) =>
      create('exports', { type: i % 2 ? 'invoices' : 'customers', format: 'csv', filter: { created_from: NEVER } }),
    ),
  'webhook-endpoints': async ({ webhook }, service) => ({
    create: webhook,
    remove: remover(service, 'webhook-endpoints'),
  }),
  'webhook-deliveries': async ({ create }, service) => {
    const { url } = await service.receive(respond(200));
    const { create: test } = await children(
      () => create('webhook-endpoints', { url, event_types: QUIET }),
      (id) => create(`webhook-endpoints/${id}/test`),
    );
    return settling(service, 'webhook-deliveries', 'succeeded', test);
  },
  events: async ({ customer }, service) => {
    // Publishes the changes of earlier requests, so that their events are older.
    await service.send('/v1/events?limit=1');
    let id = 0;
    return {
      async create(i) {
        if (i % 2 === 0) id = await customer();
        else await patch(service, `/v1/customers/${id}`, { name: `n${i}` });
        const { json } = await service.send('/v1/events?sort=-id&limit=1');
        return json.data[0].id;
      },
    };
  },
};

const NEVER = '9999-01-01T00:00:00.000Z';

/** Rows of two parents in turn, as test/support/requests/examples.ts creates them. */
const regularMaker = async (service: Service, collection: string): Promise<Maker> => {
  const parents = [await createParents(service, collection), await createParents(service, collection)] as const;
  const isDeletable = operations.some(([, { route }]) => route.startsWith(`DELETE /${collection}/`));
  const { create } = idMakers(service);
  return {
    create: (i) => create(collection, bodyOf(collection, parents[i % 2 ? 1 : 0], 'v1')),
    ...(isDeletable && { remove: remover(service, collection) }),
  };
};

const NESTED: Readonly<Record<string, (make: Make) => Promise<Maker>>> = {
  '/invoices/{invoice_id}/payments': async ({ invoice, pay }) => {
    const parent = await invoice();
    return { create: () => pay(parent, 1), parent };
  },
};

/** Every list of the API. */
export const lists: readonly Operation[] = operations.flatMap(([, operation]) => (operation.list ? [operation] : []));

/** Some rows of a list, which other rows may precede. */
export interface Rows extends Maker {
  /** The path of the list without its version. */
  readonly path: string;
  /** The rows as the list shows them under v1, in ascending order of id. */
  readonly rows: readonly Row[];
  readonly ids: readonly number[];
  /** A bound that excludes the rows before them. */
  readonly from: string;
  /** The bounds that select exactly these rows. */
  readonly bounds: { readonly created_from: string; readonly created_before: string };
}

const makerOf = (service: Service, { path }: Operation): Promise<Maker> => {
  const collection = path.slice(1);
  const make = NESTED[path] ?? MAKERS[collection as CollectionName];
  return make ? make(idMakers(service), service) : regularMaker(service, collection);
};

export const createRows = async (service: Service, operation: Operation, count: number): Promise<Rows> => {
  const maker = await makerOf(service, operation);
  const path = operation.path.replace(/\{\w+\}/, String(maker.parent));
  const created: number[] = [];
  for (let i = 0; i < count; i++) created.push(await maker.create(i));
  await maker.settle?.();
  const newest = await service.send(`/v1${path}?sort=-id&limit=100`);
  const rows = newest.json.data.filter(({ id }: Row) => created.includes(id)).reverse();
  if (rows.length !== count) throw new Error(`${path} has ${rows.length} of ${count} new rows: ${newest.text}`);
  const from = rows[0].created_at;
  const created_before = new Date(Date.parse(rows.at(-1).created_at) + 1).toISOString();
  return {
    ...maker,
    path,
    rows,
    ids: rows.map(({ id }: Row) => id),
    from,
    bounds: { created_from: from, created_before },
  };
};

const SHARED = 5;

/** Five rows of a list for all tests of a file that only read them. */
export const sharedRows = (service: Service, operation: Operation): Promise<Rows> =>
  service.once(`rows of ${operation.route}`, () => createRows(service, operation, SHARED));

/** Each list under one version, in turn: for rules that do not depend on the version. */
export const listsInTurn: readonly (readonly [Operation, Version])[] = lists.map((operation, i) => [
  operation,
  i % 2 === 0 ? 'v1' : 'v2',
]);
