import { type AccountState, memberOf } from '#infra/operations/audit/account-state.ts';
import type { Check, Finding } from '#infra/operations/audit/check.ts';
import { feedOf } from '#infra/operations/audit/feed-view.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { cancel, deliveryOf, retry, type WebhookDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { dueWrites } from '#shared/invoicing/webhook-endpoints/due.ts';
import type { FeedPosition } from '#shared/invoicing/webhook-endpoints/position.ts';
import { isSubscribed, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventRow } from '#shared/platform/events/event.ts';

const endpointsOf = ({ rows }: AccountState): WebhookEndpoint[] =>
  (rows.webhookEndpoints as unknown as WebhookEndpoint[]).map((row) => memberOf(tables.webhookEndpoints, row));

const deliveriesOf = ({ rows }: AccountState): WebhookDelivery[] =>
  (rows.webhookDeliveries as unknown as WebhookDelivery[]).map((row) => memberOf(tables.webhookDeliveries, row));

/** The events of an endpoint itself. */
const ownEvents = ({ id }: WebhookEndpoint, events: readonly EventRow[]): EventRow[] =>
  events.filter(({ resource_type, resource_id }) => resource_type === 'webhook_endpoint' && resource_id === id);

export const positions: Check = {
  name: 'positions',
  holds:
    'The position of a webhook endpoint is the sequence and the id of an event, and follows its creation once it has started.',
  repairs: 'The id is that of the event with the sequence. An endpoint whose creation was passed has started.',
  find: (state) => {
    const { events } = feedOf(state);
    const ids = new Map(events.map(({ sequence, id }) => [sequence, id]));
    return endpointsOf(state).flatMap((endpoint): Finding[] => {
      const { id, position, rewound_at } = endpoint;
      const right = rightPosition(endpoint, events, ids);
      const names = Object.keys(right) as (keyof FeedPosition)[];
      const wrong = names.filter((name) => right[name] !== endpoint[name]);
      if (wrong.length === 0) return [];
      const detail = wrong.map((name) => `${name} is ${endpoint[name]}, not ${right[name]}`).join('; ');
      return [
        {
          table: 'webhookEndpoints',
          id,
          detail: `${detail}.`,
          evidence: [rewound_at, position, wrong, right],
          repair: ({ commit, stores }) =>
            commit(() => stores.webhookEndpoints.move(endpoint, right, ['position', 'rewound_at'])),
        },
      ];
    });
  },
};

const rightPosition = (
  endpoint: WebhookEndpoint,
  events: readonly EventRow[],
  ids: ReadonlyMap<number, number>,
): FeedPosition => {
  const position = Math.min(endpoint.position, events.at(-1)?.sequence ?? 0);
  const creation = ownEvents(endpoint, events)[0]?.sequence ?? Number.POSITIVE_INFINITY;
  const position_id = position === 0 ? 0 : (ids.get(position) ?? endpoint.position_id);
  return { position, position_id, is_started: endpoint.is_started || creation <= position };
};

const DAY_MS = 86_400_000;
/** A delivery is kept for 30 days, so a delivery that is almost as old may have been deleted. */
const KEPT_MS = 29 * DAY_MS;

/** An event that an endpoint must have a delivery of: it follows the creation, and the last change of the subscription. */
const mustBeDelivered = (endpoint: WebhookEndpoint, events: readonly EventRow[], at: string): EventRow[] => {
  const own = ownEvents(endpoint, events);
  const since = own.findLast(({ type, changed }) => type.endsWith('.created') || changed.includes('event_types'));
  if (!since || !endpoint.is_started) return [];
  const oldest = Date.parse(at) - KEPT_MS;
  return events.filter(
    ({ sequence, type, created_at }) =>
      sequence > since.sequence &&
      sequence <= endpoint.position &&
      isSubscribed(endpoint, type) &&
      Date.parse(created_at) > oldest,
  );
};

export const deliveries: Check = {
  name: 'deliveries',
  holds:
    'Each event up to the position of a webhook endpoint, of the last 29 days and of a type that it subscribes to, has a delivery.',
  repairs: 'The delivery is added, and its endpoint is due at once.',
  find: (state) => {
    const { events } = feedOf(state);
    const found = new Set(deliveriesOf(state).map((row) => `${row.webhook_endpoint_id} ${row.event_id}`));
    return endpointsOf(state).flatMap((endpoint) =>
      mustBeDelivered(endpoint, events, state.at)
        .filter(({ id }) => !found.has(`${endpoint.id} ${id}`))
        .map(
          (event): Finding => ({
            table: 'webhookEndpoints',
            id: endpoint.id,
            detail: `The event ${event.id}, ${event.type}, has no delivery.`,
            evidence: event.id,
            repair: ({ commit, stores, now, newId }) =>
              commit(() => [
                ...stores.webhookDeliveries.insert(deliveryOf(endpoint, event, { id: newId(), at: now() })),
                ...(endpoint.status === 'enabled' ? dueWrites(stores, endpoint, now()) : []),
              ]),
          }),
        ),
    );
  },
};

/** Whether a pump will come to the endpoint, or needs not. */
const isExpected = ({ status, due_at, lease_until }: WebhookEndpoint): boolean =>
  status === 'disabled' || due_at !== undefined || lease_until > 0;

export const pendingDeliveries: Check = {
  name: 'pending-deliveries',
  holds: 'A pending delivery is in the queue of a webhook endpoint, which is due at some time unless it is disabled.',
  repairs: 'The delivery is due at once. Without an endpoint, it is canceled.',
  find: (state) => {
    const endpoints = new Map(endpointsOf(state).map((endpoint) => [endpoint.id, endpoint]));
    return deliveriesOf(state).flatMap((delivery): Finding[] => {
      const { id, version, status, queued_at, webhook_endpoint_id } = delivery;
      const endpoint = endpoints.get(webhook_endpoint_id);
      if (status !== 'pending' || (queued_at !== null && endpoint && isExpected(endpoint))) return [];
      return [
        {
          table: 'webhookDeliveries',
          id,
          detail: `Nobody will attempt it: its place is ${queued_at}, and its endpoint ${endpoint ? 'is not due' : 'is deleted'}.`,
          evidence: [version, endpoint?.version],
          repair: ({ commit, stores, now }) =>
            commit(() => {
              const after = endpoint ? retry(delivery, now()) : cancel(delivery, now());
              const writes = endpoint && queued_at !== null ? [] : stores.webhookDeliveries.replace(delivery, after);
              return endpoint?.status === 'enabled' ? [...writes, ...dueWrites(stores, endpoint, now())] : writes;
            }),
        },
      ];
    });
  },
};

export const deliveredEvents: Check = {
  name: 'delivered-events',
  holds: 'The event of a pending delivery is stored, with the sequence and the type of the delivery.',
  repairs: 'The delivery is canceled: its event is lost.',
  find: (state) => {
    const events = new Map(feedOf(state).events.map((event) => [event.id, event]));
    return deliveriesOf(state).flatMap((delivery): Finding[] => {
      const { id, version, status, event_id, event_type, sequence } = delivery;
      const event = event_id === null ? undefined : events.get(event_id);
      const isRight = event?.type === event_type && event.sequence === sequence;
      if (status !== 'pending' || event_id === null || isRight) return [];
      return [
        {
          table: 'webhookDeliveries',
          id,
          detail: `No event has its id ${event_id}, sequence ${sequence} and type ${event_type}.`,
          evidence: [version, event],
          repair: ({ commit, stores, now }) =>
            commit(() => stores.webhookDeliveries.replace(delivery, cancel(delivery, now()))),
        },
      ];
    });
  },
};
