import { type FeedPosition, isSubscribed, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';

/** The most deliveries that one transaction stores, so the most events of a batch that are sent. */
const MAX_SENT = 20;

/** What a pump does with the next events of the feed. */
export interface Batch {
  /** The events to send, in the order of the feed. */
  readonly events: readonly EventRow[];
  /** The next event that the endpoint subscribes to, which is not sent in this batch. */
  readonly next: EventRow | undefined;
  readonly isProbe: boolean;
}

/**
 * Decides about the next events of the feed: a healthy endpoint gets them, a failing one at most one, as a probe, when it is
 * due, and a disabled one none (CONTRACT §15). Events that were answered before the endpoint changed stay in the batch.
 * @param events the events after the endpoint's position, without gaps
 */
export const decide = (
  endpoint: WebhookEndpoint,
  events: readonly EventRow[],
  at: string,
  isAnswered: (event: EventRow) => boolean,
): Batch => {
  const isWanted = (event: EventRow) => isSubscribed(endpoint, event.type) || isAnswered(event);
  const wanted = afterCreation(endpoint, events).filter(isWanted);
  const isProbe = isFailing(endpoint);
  const isIdle = endpoint.status === 'disabled' || mustWait(endpoint, at);
  const permitted = isIdle ? 0 : isProbe ? 1 : MAX_SENT;
  const unanswered = wanted.findIndex((event) => !isAnswered(event));
  const count = Math.max(permitted, unanswered === -1 ? wanted.length : unanswered);
  return { events: wanted.slice(0, count), next: wanted[count], isProbe };
};

/** Whether an endpoint fails, and its next probe is not due. */
export const mustWait = (endpoint: WebhookEndpoint, at: string): boolean =>
  isFailing(endpoint) && endpoint.probe_at > Date.parse(at);

const isCreationOf = ({ id }: WebhookEndpoint, { type, resource_id }: EventRow): boolean =>
  type === 'webhook_endpoint.created' && resource_id === id;

/** The events after the creation of the endpoint, which is an event itself. */
const afterCreation = (endpoint: WebhookEndpoint, events: readonly EventRow[]): readonly EventRow[] => {
  if (endpoint.is_started) return events;
  const creation = events.findIndex((event) => isCreationOf(endpoint, event));
  return creation === -1 ? [] : events.slice(creation + 1);
};

/** The position after all of these events, or before `next`, which must still be sent. */
export const positionBefore = (
  next: EventRow | undefined,
  endpoint: WebhookEndpoint,
  events: readonly EventRow[],
): FeedPosition => {
  const passed = next ? events.filter(({ sequence }) => sequence < next.sequence) : events;
  const { id: position_id, sequence: position } = passed.at(-1) ?? {
    id: endpoint.position_id,
    sequence: endpoint.position,
  };
  return {
    position,
    position_id,
    is_started: endpoint.is_started || passed.some((event) => isCreationOf(endpoint, event)),
  };
};
