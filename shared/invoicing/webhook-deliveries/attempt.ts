import manifest from '#package.json' with { type: 'json' };
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { Event } from '#shared/invoicing/events/resource.ts';
import { mayReceive, validSecrets, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { Lease } from '#shared/platform/jobs/lease.ts';
import { runJob } from '#shared/platform/jobs/run-job.ts';
import type { AddressRules } from '#shared/platform/webhooks/address.ts';
import type { WebhookHeader } from '#shared/platform/webhooks/headers.ts';
import { type Answer, post } from '#shared/platform/webhooks/post.ts';
import { duringProbe, isFailing, pauseAfter } from '#shared/platform/webhooks/schedule.ts';
import { sign } from '#shared/platform/webhooks/signature.ts';
import { createSerializer } from '#shared/platform/wire/serializer.ts';
import type { QueueMessage } from '#shared/platform/worker.ts';
import type { DeliveryMessage } from '#shared/vocabulary.ts';
import { logAttempt } from './attempt-log.ts';
import { healthOf, recordHealth } from './health.ts';
import { deliveryJob } from './job.ts';
import { cancel, hold, type WebhookDelivery } from './rules.ts';

export const USES = {
  webhookDeliveries: ['find', 'replace'],
  webhookEndpoints: ['find', 'move', 'replace'],
  events: ['find'],
} as const;

type Stores = StoresOf<typeof USES>;

const serializeEvent = createSerializer(Event.fields.v1);

/** Firewalls in front of receivers often refuse a request without it. */
const USER_AGENT = `${manifest.name}/${manifest.version}`;

/** Makes the next attempt of the delivery that a message names (CONTRACT §15). */
export const deliver = (message: QueueMessage<DeliveryMessage>, stores: Stores, rules: AddressRules): Promise<void> => {
  const sender = new Sender(message, stores, rules);
  return runJob(deliveryJob, message, stores, {
    hold: (delivery, at) => sender.hold(delivery, at),
    onClaim: () => ({}),
    run: (lease) => sender.attempt(lease),
  });
};

class Sender {
  readonly #message: QueueMessage<DeliveryMessage>;
  readonly #stores: Stores;
  readonly #rules: AddressRules;
  /** The endpoint as {@link hold} has read it. */
  #endpoint: WebhookEndpoint | undefined;
  #isProbe = false;

  constructor(message: QueueMessage<DeliveryMessage>, stores: Stores, rules: AddressRules) {
    this.#message = message;
    this.#stores = stores;
    this.#rules = rules;
  }

  /** Returns the held or canceled delivery if its endpoint may not get a request now; undefined to make the attempt. */
  async hold(delivery: WebhookDelivery, at: string): Promise<WebhookDelivery | undefined> {
    const endpoint = await this.#find(delivery.webhook_endpoint_id);
    this.#endpoint = endpoint;
    if (!endpoint) return cancel(delivery, at);
    if (endpoint.status === 'enabled' && delivery.is_requested) return undefined;
    if (!mayReceive(endpoint, at)) return hold(delivery, at);
    if (!isFailing(endpoint)) return undefined;
    const probing = duringProbe(healthOf(endpoint), Date.parse(at));
    this.#isProbe = await this.#message.commit(() =>
      this.#stores.webhookEndpoints.move(endpoint, probing, ['probe_at']),
    );
    if (!this.#isProbe) return this.hold(delivery, at);
    this.#endpoint = { ...endpoint, ...probing };
    return undefined;
  }

  async attempt(lease: Lease<WebhookDelivery>): Promise<void> {
    const { step } = lease.job;
    const endpoint = this.#endpoint as WebhookEndpoint;
    const at = this.#message.now();
    const answer = await this.#post(endpoint, lease.job, at);
    await recordHealth({ endpoint, answer, isProbe: this.#isProbe }, this.#message, this.#stores);
    const fields = {
      step: step + 1,
      last_attempt_at: at,
      response_status: answer.status,
      response_body: answer.body,
      error: answer.error,
      is_requested: false,
    };
    if (answer.error) this.#message.count('DeliveryAttemptsFailed');
    if (!answer.error) return lease.end(() => ({ ...fields, status: 'succeeded', next_attempt_at: null }));
    const pauseMs = pauseAfter(step + 1, Math.random(), answer.retryAfterMs);
    if (pauseMs === undefined) return lease.end(() => ({ ...fields, status: 'failed', next_attempt_at: null }));
    const next = new Date(Date.parse(this.#message.now()) + pauseMs);
    await lease.release({ ...fields, next_attempt_at: next.toISOString() }, pauseMs);
  }

  async #find(id: number): Promise<WebhookEndpoint | undefined> {
    return (await this.#stores.webhookEndpoints.find([id])).get(id);
  }

  async #post(endpoint: WebhookEndpoint, delivery: WebhookDelivery, at: string): Promise<Answer> {
    const body = await this.#bodyOf(delivery);
    const id = delivery.event_id === null ? `evt_test_${delivery.id}` : `evt_${delivery.event_id}`;
    const timestamp = Math.floor(Date.parse(at) / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id, timestamp, body }, validSecrets(endpoint, at)),
    } satisfies Record<WebhookHeader | 'content-type' | 'user-agent', string>;
    const attempt = { delivery, endpoint, message: this.#message };
    return logAttempt(attempt, () => post({ url: endpoint.url, headers, body }, this.#rules));
  }

  async #bodyOf({ event_id, test_body = '' }: WebhookDelivery): Promise<string> {
    if (event_id === null) return test_body;
    const event = (await this.#stores.events.find([event_id])).get(event_id);
    if (!event) throw new Error(`The event ${event_id} of a delivery does not exist.`);
    return JSON.stringify(serializeEvent(event));
  }
}
