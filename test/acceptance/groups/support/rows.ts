import type { ResourceName, resources } from '#shared/invoicing/index.ts';
import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { bodyOf, createParents } from '#test/support/examples.ts';
import { operations } from '#test/support/requests.ts';
import { respond } from '#test/support/webhook-receivers.ts';
import type { Answer, Service } from '../../suite/service.ts';
import { QUIET, testService } from './prerequisites.ts';

// biome-ignore lint/suspicious/noExplicitAny: a check reads any JSON
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

const idOf = async (answer: Promise<Answer>): Promise<number> => (await answer).json.id;
const remover = (service: Service, collection: string) => (id: number) =>
  service.send(`/v1/${collection}/${id}`, { method: 'DELETE' });

/** Two parents, and rows that belong to them in turn. */
const children = async (parent: () => Promise<number>, create: (parent: number, i: number) => Promise<number>) => {
  const parents = [await parent(), await parent()] as const;
  return { create: (i: number) => create(parents[i % 2 ? 1 : 0], i) };
};

const paymentOf = (service: Service, invoice_id: number) =>
  idOf(service.create('/v1/payments', { invoice_id, amount_cents: 1 }));
const newInvoice = (service: Service) => idOf(service.create('/v1/invoices', { total_cents: 1000 }));

/** Of the lists whose filters are not ids of parents, or whose rows a worker changes. */
const MAKERS: Readonly<Partial<Record<CollectionName, (service: Service) => Promise<Maker>>>> = {
  customers: async (service) => ({
    create: (i) => idOf(service.create('/v1/customers', { name: `n${i}`, email: `${i % 2}@example.com` })),
    remove: remover(service, 'customers'),
  }),
  invoices: async (service) => ({
    ...(await children(
      () => idOf(service.create('/v1/customers', { name: 'Ada' })),
      (customer_id, i) => idOf(service.create('/v1/invoices', { customer_id, status: i % 3 ? 'open' : 'draft' })),
    )),
    remove: remover(service, 'invoices'),
  }),
  exports: async (service) => {
    const ids: number[] = [];
    return {
      async create(i) {
        const body = { type: i % 2 ? 'invoices' : 'customers', format: 'csv', filter: { created_from: NEVER } };
        ids.push(await idOf(service.create('/v1/exports', body)));
        return ids.at(-1) as number;
      },
      settle: () => settled(service, 'exports', 'completed', ids),
    };
  },
  'webhook-endpoints': async (service) => ({
    create: () => idOf(service.create('/v1/webhook-endpoints', { url: 'https://example.com', event_types: QUIET })),
    remove: remover(service, 'webhook-endpoints'),
  }),
  'webhook-deliveries': async (service) => {
    const { url } = await service.receive(respond(200));
    const ids: number[] = [];
    const own = await children(
      () => idOf(service.create('/v1/webhook-endpoints', { url, event_types: QUIET })),
      (id) => idOf(service.create(`/v1/webhook-endpoints/${id}/test`)),
    );
    return {
      async create(i) {
        ids.push(await own.create(i));
        return ids.at(-1) as number;
      },
      settle: () => settled(service, 'webhook-deliveries', 'succeeded', ids),
    };
  },
  events: async (service) => {
    // The events of earlier requests get their times now.
    await service.send('/v1/events?limit=1');
    let path = '';
    return {
      async create(i) {
        if (i % 2 === 0) path = (await service.create('/v1/customers', { name: 'Ada' })).headers['location'] as string;
        else await service.send(path, { method: 'PATCH', body: { name: `n${i}` } });
        const { json } = await service.send('/v1/events?sort=-id&limit=1');
        return json.data[0].id;
      },
    };
  },
};

/** Rows of two parents in turn, as test/support/examples.ts creates them. */
const regularMaker = async (service: Service, collection: string): Promise<Maker> => {
  const sender = testService(service);
  const parents = [await createParents(sender, collection), await createParents(sender, collection)] as const;
  const isDeletable = operations.some(([, { route }]) => route.startsWith(`DELETE /${collection}/`));
  return {
    create: (i) => idOf(service.create(`/v1/${collection}`, bodyOf(collection, parents[i % 2 ? 1 : 0], 'v1'))),
    ...(isDeletable && { remove: remover(service, collection) }),
  };
};

const NEVER = '9999-01-01T00:00:00.000Z';

const settled = async (service: Service, collection: string, status: string, ids: readonly number[]) => {
  for (const id of ids) await service.until(`/v1/${collection}/${id}`, ({ json }) => json.status === status);
};

const NESTED: Readonly<Record<string, (service: Service) => Promise<Maker>>> = {
  '/invoices/{invoice_id}/payments': async (service) => {
    const parent = await newInvoice(service);
    return { create: () => paymentOf(service, parent), parent };
  },
};

/** Every list of the API. */
export const lists: readonly Operation[] = operations.flatMap(([, operation]) => (operation.list ? [operation] : []));

/** Some rows of a list, which other rows may precede. */
export interface Rows extends Maker {
  /** The path of the list without its version. */
  readonly path: string;
  /** As the list shows them under v1, in ascending order of id. */
  readonly rows: readonly Row[];
  readonly ids: readonly number[];
  /** A bound that excludes the rows before them. */
  readonly from: string;
  /** These rows and no other ones. */
  readonly bounds: { readonly created_from: string; readonly created_before: string };
}

const makerOf = (service: Service, { route }: Operation): Promise<Maker> => {
  const path = routeOf({ route }).path;
  const collection = path.slice(1);
  const make = NESTED[path] ?? MAKERS[collection as CollectionName];
  return make ? make(service) : regularMaker(service, collection);
};

export const createRows = async (service: Service, operation: Operation, count: number): Promise<Rows> => {
  const maker = await makerOf(service, operation);
  const path = routeOf(operation).path.replace(/\{\w+\}/, String(maker.parent));
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

/** Five rows of a list for all checks of a group that only read them. */
export const sharedRows = (service: Service, operation: Operation): Promise<Rows> =>
  service.once(`rows of ${operation.route}`, () => createRows(service, operation, SHARED));

/** Each list under one version, in turn: for rules that do not depend on the version. */
export const listsInTurn: readonly (readonly [Operation, Version])[] = lists.map((operation, i) => [
  operation,
  i % 2 === 0 ? 'v1' : 'v2',
]);
