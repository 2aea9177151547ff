import { randomUUID } from 'node:crypto';
import { resources } from '#shared/invoicing/index.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import type { Caller, Client } from '#test/support/service/client.ts';

/** Ids by their name in a path or a body. */
export type Ids = Readonly<Record<string, number>>;
export type Sender = Pick<Client, 'send'>;

/** An amount as a version writes it. */
type Amount = (name: string, cents: number, currency?: string) => object;

/** How a test creates a member of a collection. */
interface Example {
  /** Creates the resources that a member belongs to. */
  readonly parents?: (service: Sender, caller: Caller) => Promise<Ids>;
  /** A valid body; an id that is unknown is omitted. */
  readonly body: (ids: Ids, amount: Amount) => object;
  /** The v1 body of the first member, if it differs. */
  readonly first?: (ids: Ids) => object;
  /** Another value of one field, the same in both versions: a body that changes something. */
  readonly other: object;
}

type CollectionName = (typeof resources)[ResourceName]['collection'];

/** The collections whose members no POST to the collection creates. */
type Derived = 'events' | 'webhook-deliveries';

const URL = 'https://example.com/hooks';

const EXAMPLES: Readonly<Record<Exclude<CollectionName, Derived>, Example>> = {
  customers: {
    body: () => ({ name: 'Ada' }),
    first: () => ({ name: 'Ada', email: 'ada@example.com' }),
    other: { name: 'Grace' },
  },
  invoices: {
    parents: (service, caller) => createMember(service, 'customers', caller),
    body: (_, amount) => amount('total', 1250),
    first: ({ customer_id }) => ({ total_cents: 1250, customer_id }),
    other: { description: 'x' },
  },
  'invoice-items': {
    parents: async (service, caller) => ({ invoice_id: await post(service, caller, 'invoices', {}) }),
    body: ({ invoice_id }, amount) => ({ invoice_id, description: 'More', ...amount('unit_amount', 5, 'USD') }),
    first: ({ invoice_id }) => ({ invoice_id, description: 'Work', quantity: 3, unit_amount_cents: 50 }),
    other: { quantity: 2 },
  },
  payments: {
    parents: async (service, caller) => ({
      invoice_id: await post(service, caller, 'invoices', { total_cents: 1250 }),
    }),
    body: ({ invoice_id }, amount) => ({ invoice_id, ...amount('amount', 5, 'USD') }),
    first: ({ invoice_id }) => ({ invoice_id, amount_cents: 100 }),
    other: { method: 'cash' },
  },
  refunds: {
    parents: (service, caller) => createMember(service, 'payments', caller),
    body: ({ payment_id }, amount) => ({ payment_id, ...amount('amount', 5) }),
    first: ({ payment_id }) => ({ payment_id, amount_cents: 1 }),
    other: { reason: 'x' },
  },
  'credit-notes': {
    parents: async (service, caller) => ({
      invoice_id: await post(service, caller, 'invoices', { total_cents: 1250 }),
      ...(await createMember(service, 'number-series', caller)),
    }),
    body: ({ invoice_id }, amount) => ({ invoice_id, ...amount('amount', 5, 'USD') }),
    first: ({ invoice_id, number_series_id }) => ({ invoice_id, amount_cents: 100, series_id: number_series_id }),
    other: { reason: 'x' },
  },
  'number-series': {
    body: () => ({ prefix: `${randomUUID().slice(0, 8).toUpperCase()}-` }),
    other: { digits: 7 },
  },
  exports: { body: () => ({ type: 'customers', format: 'csv' }), other: { format: 'jsonl' } },
  'webhook-endpoints': { body: () => ({ url: URL }), other: { description: 'x' } },
};

const DERIVED: Readonly<Record<Derived, (service: Sender, caller: Caller) => Promise<Ids>>> = {
  'webhook-deliveries': async (service, caller) => {
    const { webhook_endpoint_id } = await createMember(service, 'webhook-endpoints', caller);
    const path = `webhook-endpoints/${webhook_endpoint_id}/test`;
    return { webhook_delivery_id: await post(service, caller, path, {}) };
  },
  events: async (service, caller) => {
    const { customer_id: resource_id } = await createMember(service, 'customers', caller);
    const { json } = await service.send(`/v1/events?resource_id=${resource_id}`, { as: caller });
    return { event_id: json.data[0].id };
  },
};

const post = async (service: Sender, caller: Caller, collection: string, body: object): Promise<number> => {
  const headers = { 'idempotency-key': randomUUID() };
  const response = await service.send(`/v1/${collection}`, { method: 'POST', body, as: caller, headers });
  if (response.status >= 300) throw new Error(`${collection}: ${response.text}`);
  return response.json.id;
};

const exampleOf = (collection: string): Example | undefined =>
  (EXAMPLES as Readonly<Record<string, Example>>)[collection];

/** Whether tests can create a member of the collection. */
export const isCreatable = (collection: string): boolean => collection in EXAMPLES || collection in DERIVED;

export const createParents = async (service: Sender, collection: string, caller: Caller = {}): Promise<Ids> =>
  (await exampleOf(collection)?.parents?.(service, caller)) ?? {};

/** Creates a member of the collection and its parents over the API, and returns their ids. */
export const createMember = async (service: Sender, collection: string, caller: Caller): Promise<Ids> => {
  const example = exampleOf(collection);
  if (!example) return DERIVED[collection as Derived](service, caller);
  const parents = await createParents(service, collection, caller);
  const body = example.first?.(parents) ?? bodyOf(collection, parents, 'v1');
  const id = await post(service, caller, collection, body);
  return { ...parents, [`${typeOf(collection)}_id`]: id };
};

const typeOf = (collection: string): string =>
  Object.values<ResourceEntry>(resources).find((entry) => entry.collection === collection)?.type as string;

export const bodyOf = (collection: string, ids: Ids, version: Version): object => {
  const amount: Amount = (name, cents, currency) =>
    version === 'v1' ? { [`${name}_cents`]: cents } : { [name]: { amount: cents, ...(currency && { currency }) } };
  return exampleOf(collection)?.body(ids, amount) ?? {};
};

export const otherBodyOf = (collection: string): object | undefined => exampleOf(collection)?.other;
