import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { endpoints } from '#functions/index.ts';
import { rowChecksOf } from '#local/app.ts';
import { complete } from '#shared/invoicing/exports/job.ts';
import { createStores, type Stores } from '#shared/invoicing/stores.ts';
import { afterAttempt } from '#shared/invoicing/webhook-deliveries/rules.ts';
import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import { type Endpoint, isPublic, type Operation } from '#shared/platform/http/endpoint.ts';
import type { Health } from '#shared/platform/webhooks/schedule.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import type { Call, Caller } from '#test/support/service/client.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { bodyOf, createMember, type Ids, isCreatable, otherBodyOf as otherExampleOf, type Sender } from './examples.ts';

/** The part of a service that these helpers need, which a service in another process also has. */
export type ServiceAndDatabase = Pick<LocalService, 'send' | 'client' | 'environment'>;

/** The endpoints that take a token, each with the name of its file. */
export const operations: readonly (readonly [name: string, operation: Operation])[] = Object.entries(endpoints).filter(
  (entry): entry is [string, Operation] => !isPublic(entry[1] as Endpoint),
);

/** Every operation under every version: the rows of the matrix. */
export const matrix = operations.flatMap(([name, operation]) =>
  VERSIONS.map((version) => [`${operation.method} /${version}${operation.path}`, version, name, operation] as const),
);

const readableBy = ({ route, returns }: Operation): [string, Resource][] => {
  const [, collection, name] = /^GET \/([a-z-]+)\/\{(\w+)\}$/.exec(route) ?? [];
  const resource = returns[200];
  return name && resource && resource.collection === collection ? [[name, resource]] : [];
};

/** Every readable resource by the name of its id in a path, a body or a filter: `invoice_id`. */
export const readableResources: ReadonlyMap<string, Resource> = new Map(
  operations.flatMap(([, operation]) => readableBy(operation)),
);

/** Sets the counters to 0, so that the tests' account can create more exports and webhook endpoints (CONTRACT §10, §15). */
export const resetCounters = async ({ client, environment }: ServiceAndDatabase): Promise<void> => {
  const TableName = environment['COUNTERS_TABLE'];
  await client.send(
    new PutCommand({ TableName, Item: { account_id: 'acct_1', unfinished_exports: 0, webhook_endpoints: 0 } }),
  );
};

/** Commits writes of an account as a worker with these stores does. */
export const commitAsWorker = async (
  { client, environment }: ServiceAndDatabase,
  account: string,
  uses: Worker['uses'],
  decide: (own: Stores) => Promise<readonly Write[]>,
): Promise<void> => {
  const engine = { client, tableNames: tableNames(environment, { uses }), ...rowChecksOf({ uses }) };
  const writes = await decide(createStores(engine, uses)(account));
  await createCommit(engine)({ writes, deadline: Date.now() + 5000 });
};

/** Ends a delivery as its last attempt does. Like any other new member, it has version 1. */
export const failDelivery = (service: ServiceAndDatabase, account: string, id: number): Promise<void> =>
  commitAsWorker(service, account, { webhookDeliveries: ['get', 'replace'] }, async ({ webhookDeliveries }) => {
    const delivery = await webhookDeliveries.get(id);
    const now = new Date().toISOString();
    const error = { code: 'unexpected-status', detail: 'The receiver responded with status 500.' } as const;
    const answer = { status: 500, body: 'Internal Server Error', retryAfterMs: undefined, error };
    const last = { ...delivery, attempts: 9, step: 9 };
    const after = { ...afterAttempt(last, { answer, at: now, endedAt: now }, 0), version: 1 };
    return webhookDeliveries.replace(delivery, after);
  });

/** Changes attributes of a webhook endpoint that do not belong to its version, as a worker does. */
export const moveWebhook = (
  service: ServiceAndDatabase,
  account: string,
  id: number,
  change: Partial<Pick<WebhookEndpoint, 'lease_until' | 'due_at' | 'is_noted' | keyof Health | 'rewound_at'>>,
): Promise<void> =>
  commitAsWorker(service, account, { webhookEndpoints: ['get', 'move'] }, async ({ webhookEndpoints }) => {
    const before = await webhookEndpoints.get(id);
    return webhookEndpoints.move(before, { ...before, ...change }, ['version']);
  });

/** Completes an export without a file. */
export const finishExport = (service: ServiceAndDatabase, account: string, id: number): Promise<void> =>
  commitAsWorker(service, account, { exports: ['get', 'replace'] }, async ({ exports }) => {
    const job = await exports.get(id);
    const file = { key: `${id}/1.csv`, row_count: 0, size_bytes: 0, sha256: '' };
    return exports.replace(job, complete(job, file, new Date().toISOString()));
  });

/** Settles an invoice outside the service. Like any other new member, it has version 1. */
const settleInvoice = (service: ServiceAndDatabase, account: string, id: number): Promise<void> =>
  commitAsWorker(service, account, { invoices: ['get', 'replace'] }, async ({ invoices }) => {
    const invoice = await invoices.get(id);
    const after = { ...invoice, status: 'paid', settlement: 'external', paid_at: invoice.updated_at } as const;
    return invoices.replace(invoice, after);
  });

/** Brings the member that an operation needs into the state that it needs, by the last segment of its path. */
const END: Readonly<Record<string, (service: ServiceAndDatabase, account: string, ids: Ids) => Promise<void>>> = {
  reopen: (service, account, { invoice_id = 0 }) => settleInvoice(service, account, invoice_id),
  file: (service, account, { export_id = 0 }) => finishExport(service, account, export_id),
  retry: (service, account, { webhook_delivery_id = 0 }) => failDelivery(service, account, webhook_delivery_id),
};

/** Creates the resources that an operation needs over the API, and returns the ids for its request. */
export const createResources = async (service: Sender, operation: Operation, caller: Caller = {}): Promise<Ids> => {
  const [, collection = '', , nested = collection] = operation.path.split('/');
  const created = [nested, collection].find(isCreatable);
  if (!created) throw new Error(`test/support/requests/examples.ts has no example for ${operation.route}.`);
  return createMember(service, created, caller);
};

/** Creates the resources that an operation needs, in the state that it needs. */
export const createPrerequisites = async (
  service: ServiceAndDatabase,
  operation: Operation,
  caller: Caller = {},
): Promise<Ids> => {
  const ids = await createResources(service, operation, caller);
  const [, , , action = ''] = operation.path.split('/');
  await END[action]?.(service, caller.account ?? 'acct_1', ids);
  return ids;
};

/** The name of the id in paths, for a name in a body: `number_series_id` for `series_id`. */
export const nameInPaths = (name: string): string => (name === 'series_id' ? 'number_series_id' : name);

/** The resource that a name of an id stands for; the first one of several possible resources. */
const resourceNamed = (name: string): Resource | undefined =>
  readableResources.get(nameInPaths(name)) ??
  [...readableResources.values()]
    .flatMap(({ relations }) => Object.values(relations))
    .find(({ via, typeIn }) => typeIn && via === name)?.resources[0];

/** Creates a resource that a body or a filter can name, and returns its id. */
export const createNamed = async (service: Sender, name: string, caller: Caller = {}): Promise<number> => {
  const resource = resourceNamed(name);
  const id = resource && (await createMember(service, resource.collection, caller))[`${resource.type}_id`];
  if (id === undefined) throw new Error(`test/support/requests/examples.ts has no example for ${name}.`);
  return id;
};

/** A valid body for each action with a body, by the last segment of its path. */
const ACTION_BODIES: Readonly<Record<string, object>> = { rewind: { sequence: 0 }, void: { reason: 'x' } };
const OTHER_ACTION_BODIES: Readonly<Record<string, object>> = { rewind: { sequence: 1 }, void: { reason: 'y' } };

/** Changes a value in the body of a request of {@link request}. */
export const otherBodyOf = (operation: Operation): object | undefined => {
  const [, collection = '', , action = ''] = operation.path.split('/');
  return OTHER_ACTION_BODIES[action] ?? otherExampleOf(collection);
};

/**
 * The scopes that a request of {@link request} needs: the scope of the operation, and for an export the scope of its
 * type.
 */
export const scopesOf = ({ scope, route }: Operation): string =>
  ['POST /exports', 'GET /exports/{export_id}/file'].includes(route) ? `${scope} customers:read` : scope;

/** Creates a valid request of the operation for these ids. */
export const request = (
  operation: Operation,
  version: Version,
  ids: Readonly<Record<string, number | string>>,
): Call => {
  const { method, path } = operation;
  const [, collection = '', , action = ''] = path.split('/');
  const body = operation.body && (ACTION_BODIES[action] ?? bodyOf(collection, ids as Ids, version));
  const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {};
  return {
    target: `/${version}${path.replace(/\{([^}]*)\}/g, (_, name: string) => String(ids[name]))}`,
    sent: { method, headers, ...(body && { body }) },
  };
};
