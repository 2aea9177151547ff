import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { respond } from '#test/support/receivers/webhook-receivers.ts';
import type { Ids } from '#test/support/requests/examples.ts';
import { createNamed, createResources, matrix, request } from '#test/support/requests/requests.ts';
import type { Capability } from '#test/support/service/capabilities.ts';
import type { Call, Caller } from '#test/support/service/client.ts';
import type { Service } from '#test/support/service/open-service.ts';

/** Each operation under one version, in turn: for rules that do not depend on the version. */
export const inTurn = matrix.filter((_, i) => i % 4 === 0 || i % 4 === 3);

type Create = (service: Service, as: Caller) => Promise<Ids>;

const completedExport: Create = async (service, as) => {
  const { json } = await service.create('/v1/exports', { type: 'customers', format: 'csv' }, as);
  await service.until(`/v1/exports/${json.id}`, ({ json: job }) => job.status === 'completed', as);
  return { export_id: json.id };
};

/** The filter of an export that no worker starts in the next 20 s, because its period has just ended (CONTRACT §9). */
export const endedPeriod = () => ({ created_before: new Date(Date.now() - 500).toISOString() });

const waitingExport: Create = async (service, as) => {
  const filter = endedPeriod();
  const { json } = await service.create('/v1/exports', { type: 'customers', format: 'csv', filter }, as);
  return { export_id: json.id };
};

/** No test causes an event of these types, so no delivery waits for the receiver. */
export const QUIET = ['export.failed'];

const quietEndpoint = async (service: Service, as: Caller, url = 'https://receiver.invalid/'): Promise<Ids> => {
  const { json } = await service.create('/v1/webhook-endpoints', { url, event_types: QUIET }, as);
  return { webhook_endpoint_id: json.id };
};

const succeededDelivery: Create = async (service, as) => {
  const ids = await quietEndpoint(service, as, (await service.receive(respond(200))).url);
  const { json } = await service.create(`/v1/webhook-endpoints/${ids['webhook_endpoint_id']}/test`, undefined, as);
  await service.until(`/v1/webhook-deliveries/${json.id}`, ({ json: one }) => one.status === 'succeeded', as);
  return { ...ids, webhook_delivery_id: json.id };
};

/** Creates the resources that an operation needs, in states that no worker changes while the test runs. */
const SETTLED: readonly (readonly [route: RegExp, create: Create])[] = [
  [/^GET \/exports/, completedExport],
  [/^POST \/exports$/, async () => ({})],
  [/^POST \/exports\/.*cancel$/, waitingExport],
  [/\/webhook-deliveries/, succeededDelivery],
  [/\/webhook-endpoints\/?/, quietEndpoint],
];

/**
 * The capabilities that a deployment needs for the resources of an operation: a delivery ends only if its receiver
 * responds.
 */
export const needsOf = ({ route }: Pick<Operation, 'route'>): readonly Capability[] =>
  route.includes('/webhook-deliveries') ? ['receiver'] : [];

/** Creates the resources that an operation needs, and returns their ids. */
export const prerequisites = (service: Service, operation: Operation, as: Caller = {}): Promise<Ids> => {
  const [, create] = SETTLED.find(([route]) => route.test(operation.route)) ?? [];
  return create ? create(service, as) : createResources(service, operation, as);
};

/** Returns the same resources to each test of the file, because these tests do not change them. */
export const sharedPrerequisites = (service: Service, operation: Operation, as: Caller = {}): Promise<Ids> => {
  const route = SETTLED.find(([one]) => one.test(operation.route))?.[0] ?? operation.path;
  return service.once(`${route} ${JSON.stringify(as)}`, () => prerequisites(service, operation, as));
};

const callOf = (operation: Operation, version: Version, ids: Ids, as: Caller): Call => {
  const { target, sent } = request(operation, version, ids);
  return { target, sent: { ...sent, method: operation.method, as } };
};

/** Creates the resources that an operation needs, and returns a request that it accepts. */
export const prepare = async (service: Service, operation: Operation, version: Version, as: Caller = {}) =>
  callOf(operation, version, await prerequisites(service, operation, as), as);

/** A request that an operation accepts, for tests that change nothing. */
export const prepareShared = async (service: Service, operation: Operation, version: Version, as: Caller = {}) =>
  callOf(operation, version, await sharedPrerequisites(service, operation, as), as);

/** A resource of another account that a body or a filter can name. */
export const foreignNamed = (service: Service, name: string): Promise<number> => {
  const as = { account: 'other' };
  return service.once(`foreign ${name}`, async () => {
    const { [name]: id } = name === 'webhook_endpoint_id' ? await quietEndpoint(service, as) : {};
    return id ?? createNamed(service, name, as);
  });
};
