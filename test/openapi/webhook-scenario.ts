import type { Version } from '#shared/platform/wire/version.ts';
import { failDelivery } from '#test/support/requests/requests.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import type { Recorder } from './recorder.ts';

/** The examples of webhook endpoints and their deliveries. */
export const webhooks = async (record: Recorder, service: LocalService, version: Version): Promise<void> => {
  const url = 'https://example.com/hooks';
  const all = await record('webhook-endpoints/create', 'An endpoint for all events', { body: { url } });
  const ids = { webhook_endpoint_id: all.json.id };
  const some = { url, description: 'Bookkeeping', event_types: ['invoice.paid', 'refund.created'] };
  await record('webhook-endpoints/create', 'An endpoint for two types of events', { body: some });
  await record('webhook-endpoints/create', 'An address that is not public', {
    body: { url: 'https://10.0.0.1/hooks' },
  });
  await record('webhook-endpoints/get', 'An endpoint, without its secret', { ids });
  await record('webhook-endpoints/list', 'All endpoints', {});
  await record('webhook-endpoints/rotate-secret', 'A new secret', { ids });
  await deliveries(record, service, version, ids);
  await record('webhook-endpoints/rewind', 'Deliver all events again', { ids, body: { sequence: 0 } });
  await record('webhook-endpoints/update', 'Disable the endpoint', { ids, body: { status: 'disabled' } });
  await record('webhook-endpoints/update', 'Enable the endpoint', { ids, body: { status: 'enabled' } });
  await record('webhook-endpoints/delete', 'Delete the endpoint', { ids });
};

const deliveries = async (
  record: Recorder,
  service: LocalService,
  version: Version,
  ids: { readonly webhook_endpoint_id: number },
): Promise<void> => {
  const test = await record('webhook-endpoints/test', 'Send a test', { ids });
  const delivery = { webhook_delivery_id: test.json.id };
  await record('webhook-deliveries/get', 'A pending delivery', { ids: delivery });
  await record('webhook-deliveries/retry', 'Retry a pending delivery', { ids: delivery });
  await failDelivery(service, `acct_${version}`, delivery.webhook_delivery_id);
  await record('webhook-deliveries/get', 'A failed delivery', { ids: delivery });
  const query = `?webhook_endpoint_id=${ids.webhook_endpoint_id}&status=failed`;
  await record('webhook-deliveries/list', 'The failed deliveries of an endpoint', { query });
  await record('webhook-deliveries/retry', 'Retry a failed delivery', { ids: delivery });
};
