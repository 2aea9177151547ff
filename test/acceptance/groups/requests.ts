import { type Operation, routeOf } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { createPrerequisites, type Ids, request } from '#test/support/requests.ts';
import type { Claims } from '#test/support/service.ts';
import { respond } from '#test/support/webhook-receivers.ts';
import type { Caller, Sent, Service } from '../suite/service.ts';

/** A request that an operation accepts. */
export interface Call {
  readonly target: string;
  readonly sent: Sent;
}

/** The service as the helpers of the tests know it, for the requests that need no engine. */
export const testService = (service: Service, as: Caller = {}) => ({
  send: (target: string, { claims: _, ...sent }: Sent & { claims?: Claims } = {}) =>
    service.send(target, { as, ...sent }),
  client: undefined as never,
  environment: {},
});

const completedExport = async (service: Service, as: Caller): Promise<Ids> => {
  const { json } = await service.create('/v1/exports', { type: 'customers', format: 'csv' }, as);
  await service.until(`/v1/exports/${json.id}`, ({ json: job }) => job.status === 'completed', as);
  return { export_id: json.id };
};

const succeededDelivery = async (service: Service, as: Caller): Promise<Ids> => {
  const { url } = await service.receive(respond(200));
  const endpoint = await service.create('/v1/webhook-endpoints', { url, event_types: ['refund.created'] }, as);
  const { json } = await service.create(`${endpoint.headers['location']}/test`, undefined, as);
  await service.until(`/v1/webhook-deliveries/${json.id}`, ({ json: one }) => one.status === 'succeeded', as);
  return { webhook_delivery_id: json.id, webhook_endpoint_id: endpoint.json.id };
};

/** An export that no worker starts in the next 20 s, because its period has just ended (CONTRACT §9). */
const waitingExport = async (service: Service, as: Caller): Promise<Ids> => {
  const filter = { created_before: new Date(Date.now() - 500).toISOString() };
  const { json } = await service.create('/v1/exports', { type: 'customers', format: 'csv', filter }, as);
  return { export_id: json.id };
};

type Create = (service: Service, as: Caller) => Promise<Ids>;

/** What an operation needs, so that no worker changes it while the check runs. */
const SETTLED: readonly (readonly [route: RegExp, create: Create])[] = [
  [/^GET \/exports/, completedExport],
  [/^POST \/exports$/, async () => ({})],
  [/^POST \/exports\/.*cancel$/, waitingExport],
  [/\/webhook-deliveries/, succeededDelivery],
];

/** Creates the resources that an operation needs, and returns their ids. */
export const createRequired = (service: Service, operation: Operation, as: Caller = {}): Promise<Ids> => {
  const [, create] = SETTLED.find(([route]) => route.test(operation.route)) ?? [];
  return create ? create(service, as) : createPrerequisites(testService(service, as), operation);
};

/** Creates the resources that an operation needs, and returns a request that it accepts. */
export const prepare = async (
  service: Service,
  operation: Operation,
  version: Version,
  as: Caller = {},
): Promise<Call> => {
  const { target, sent } = request(operation, version, await createRequired(service, operation, as));
  const { method } = routeOf(operation);
  return { target, sent: { ...sent, method, as } };
};
