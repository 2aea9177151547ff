import { afterCreation } from '#shared/invoicing/webhook-endpoints/position.ts';
import { isSubscribed, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import { isRequested, timeOf, type WebhookDelivery } from './rules.ts';

/** The most attempts of a step, whose deliveries one transaction stores. */
const MAX_STEP = 20;
/** Half of a step, so that events and deliveries do not wait for each other. */
export const MAX_DELIVERIES = MAX_STEP / 2;

/** What waits for an endpoint, as it was read. */
export interface Waiting {
  /** The first pending deliveries, in the order of their queue: those that a request asked for are the first. */
  readonly deliveries: readonly WebhookDelivery[];
  /** The events after the position of the endpoint, without gaps. */
  readonly events: readonly EventRow[];
  readonly hasMoreDeliveries: boolean;
  readonly hasMoreEvents: boolean;
}

/** The next attempt of a stored delivery, or the first attempt of an event. */
export type Attempt = {
  /** Identifies the attempt when the step is planned again. */
  readonly key: string;
  /** The endpoint fails, and gets this attempt to find out whether it still does. */
  readonly isProbe: boolean;
} & (
  | { readonly delivery: WebhookDelivery; readonly event?: undefined }
  | { readonly delivery?: undefined; readonly event: EventRow }
);

export interface Step {
  /** By turns a delivery, of which those that a request asked for come first, and an event, in the order of the feed. */
  readonly attempts: readonly Attempt[];
  /** The next event that the endpoint subscribes to, which is not in this step. */
  readonly next: EventRow | undefined;
}

/**
 * Plans a step (CONTRACT §15). A request is granted at once. Otherwise, a healthy endpoint gets what is due and the next
 * events; a failing one gets one probe when it is due, the next event or else the delivery that has waited longest; a
 * disabled one gets nothing. Attempts that have ended stay in the step, so that they are stored.
 * @param now in epoch milliseconds
 */
export const plan = (
  endpoint: WebhookEndpoint,
  { deliveries, events }: Pick<Waiting, 'deliveries' | 'events'>,
  now: number,
  hasEnded: (key: string) => boolean,
): Step => {
  const isEnded = ({ key }: Attempt) => hasEnded(key);
  const isEnabled = endpoint.status === 'enabled';
  const isProbe = isEnabled && isFailing(endpoint);
  const permitted = !isEnabled || now < endpoint.probe_at ? 0 : isProbe ? 1 : MAX_STEP;

  const due = deliveries
    .filter((delivery) => isRequested(delivery) || timeOf(delivery) <= now)
    .map((delivery) => ({ key: `delivery ${delivery.id}`, delivery, isProbe: isProbe && !isRequested(delivery) }));
  const requested = due.filter(({ delivery }) => isRequested(delivery)).length;
  const wanted = afterCreation(endpoint, events)
    .map((event) => ({ key: `event ${event.id}`, event, isProbe }))
    .filter((one) => isSubscribed(endpoint, one.event.type) || isEnded(one));

  const permittedDue = isEnabled ? requested + (isProbe && wanted.length > 0 ? 0 : permitted) : 0;
  const later = due.filter((one, i) => i < permittedDue || isEnded(one));
  const permittedFirst = Math.min(permitted, MAX_STEP - later.length);
  const unended = wanted.findIndex((one) => !isEnded(one));
  const count = Math.max(permittedFirst, unended === -1 ? wanted.length : unended);
  const first = wanted.slice(0, count);
  const longer = Math.max(later.length, first.length);
  const attempts = Array.from({ length: longer }, (_, i) => [later[i], first[i]])
    .flat()
    .filter((one) => one !== undefined);
  return { attempts, next: wanted[count]?.event };
};

interface Left extends Pick<Waiting, 'deliveries' | 'hasMoreDeliveries'> {
  /** The deliveries that the step stores. */
  readonly rows: readonly WebhookDelivery[];
  readonly hasEvents: boolean;
  /** When other deliveries are due, which may not have been read. */
  readonly times: readonly number[];
}

/** When the endpoint gets its next step, after a step: `now` if something is left, undefined if nothing waits. */
export const nextStepAt = (
  endpoint: WebhookEndpoint,
  { deliveries, hasMoreDeliveries, rows, hasEvents, times }: Left,
  now: number,
): number | undefined => {
  if (endpoint.status === 'disabled') return undefined;
  const left = deliveries.filter(({ id }) => rows.every((row) => row.id !== id));
  if (left.some(isRequested) || (hasMoreDeliveries && deliveries.every(isRequested))) return now;
  // The next ones have no later time than the last one that was read.
  const hasMore = hasEvents || (hasMoreDeliveries && left.length === 0);
  const pending = [...left, ...rows.filter(({ status }) => status === 'pending')];
  const next = [...pending.map(timeOf), ...times].reduce((a, b) => Math.min(a, b), hasMore ? now : NEVER);
  return next === NEVER ? undefined : Math.max(next, endpoint.probe_at, now);
};

const NEVER = Number.POSITIVE_INFINITY;
