import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { createIdsAt } from '#shared/platform/id.ts';
import type { Attempt } from './plan.ts';
import { type Attempted, afterAttempt, deliveryOf, type WebhookDelivery } from './rules.ts';

/** An attempt that has ended and is not stored yet. */
export interface Outcome extends Attempted {
  readonly attempt: Attempt;
  readonly url: string;
}

/**
 * What a step stores: all deliveries, also those that have left the page that was read last, and the events up to a position.
 * @param attempts as they were planned last, with the present rows
 */
export const endedUntil = (position: number, outcomes: readonly Outcome[], attempts: readonly Attempt[]): Outcome[] => {
  const planned = new Map(attempts.map((one) => [one.key, one]));
  return outcomes
    .map((outcome) => ({ ...outcome, attempt: planned.get(outcome.attempt.key) ?? outcome.attempt }))
    .filter(({ attempt: { event } }) => (event?.sequence ?? 0) <= position);
};

export const rowsOf = (endpoint: WebhookEndpoint, outcomes: readonly Outcome[]): WebhookDelivery[] => {
  const ids = createIdsAt(outcomes.map(({ at }) => at));
  return outcomes.map((outcome, i) => {
    const { delivery, event } = outcome.attempt;
    if (delivery) return afterAttempt(delivery, outcome, Math.random());
    // It is created when the attempt begins, and stored once.
    const created = deliveryOf(endpoint, event, { id: ids[i] as number, at: outcome.at });
    return { ...afterAttempt(created, outcome, Math.random()), version: created.version };
  });
};
