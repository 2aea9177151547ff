import type { Operation } from '#shared/platform/endpoint.ts';
import { createNamed, createResources, type Ids } from '#test/support/requests.ts';
import type { Caller, Service } from '../suite/service.ts';
import { created, idOf } from './support.ts';

type Create = (service: Service, as: Caller) => Promise<Ids>;

/** Helpers of the contract tests, over any transport. */
const senderFor = (service: Service, as: Caller) => ({
  send: (target: string, { method, headers, body }: Parameters<Service['send']>[1] = {}) =>
    service.send(target, {
      as,
      ...(method && { method }),
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    }),
});

const completedExport: Create = async (service, as) => {
  const path = await created(service, 'exports', { type: 'customers', format: 'csv' }, as);
  await service.until(path, ({ json }) => json.status === 'completed', as);
  return { export_id: idOf(path) };
};

/** An export that starts in 20 s, because its range has only just ended (CONTRACT §9). */
const waitingExport: Create = async (service, as) => {
  const { json: customer } = await service.create('/v1/customers', { name: 'Ada' }, as);
  const filter = { created_before: customer.created_at };
  return { export_id: idOf(await created(service, 'exports', { type: 'customers', format: 'csv', filter }, as)) };
};

/** An account has at most 20 webhook endpoints (CONTRACT §15). */
const makeRoom = async (service: Service, as: Caller): Promise<void> => {
  const { json } = await service.send('/v1/webhook-endpoints?fields=id&limit=100', { as });
  if (json.data.length < 10) return;
  for (const { id } of json.data) await service.send(`/v1/webhook-endpoints/${id}`, { method: 'DELETE', as });
};

/** Of a type without events during the check, so that no delivery waits for the receiver. */
const EVENT_TYPES = ['webhook_endpoint.deleted'];

const endpointOf = async (service: Service, as: Caller, url = 'https://receiver.invalid/'): Promise<string> => {
  await makeRoom(service, as);
  return created(service, 'webhook-endpoints', { url, event_types: EVENT_TYPES }, as);
};

const anEndpoint: Create = async (service, as) => ({ webhook_endpoint_id: idOf(await endpointOf(service, as)) });

const aDelivery: Create = async (service, as) => {
  const { json } = await service.create(`${await endpointOf(service, as)}/test`, undefined, as);
  return { webhook_delivery_id: json.id };
};

const succeededDelivery: Create = async (service, as) => {
  const { url } = await service.receive((_, response) => response.end());
  const { json } = await service.create(`${await endpointOf(service, as, url)}/test`, undefined, as);
  await service.until(`/v1/webhook-deliveries/${json.id}`, ({ json: delivery }) => delivery.status === 'succeeded', as);
  return { webhook_delivery_id: json.id };
};

/** Operations on jobs: no worker changes the job during a check. */
const JOBS: Readonly<Record<string, Create>> = {
  'GET /exports/{export_id}': completedExport,
  'GET /exports/{export_id}/file': completedExport,
  'POST /exports/{export_id}/cancel': waitingExport,
  'GET /webhook-deliveries/{webhook_delivery_id}': succeededDelivery,
  'POST /webhook-deliveries/{webhook_delivery_id}/retry': succeededDelivery,
};

const creatorOf = ({ route }: Operation): Create | undefined => {
  const create = JOBS[route];
  if (create) return create;
  if (route.includes('/webhook-deliveries')) return aDelivery;
  return route.includes('/webhook-endpoints') ? anEndpoint : undefined;
};

/** Creates the resources that an operation needs, and returns the ids for its request. */
export const prerequisites = async (service: Service, operation: Operation, as: Caller = {}): Promise<Ids> => {
  const create = creatorOf(operation);
  return create ? create(service, as) : createResources(senderFor(service, as), operation);
};

/** Creates a resource of another account that a body or a filter can name, and returns its id. */
export const foreignNamed = async (service: Service, name: string): Promise<number> => {
  const as = { account: 'other' };
  if (name === 'webhook_endpoint_id') return idOf(await endpointOf(service, as));
  return createNamed(senderFor(service, as), name);
};
