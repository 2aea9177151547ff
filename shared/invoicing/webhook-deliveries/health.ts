import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { disable, restarted, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Answer } from '#shared/platform/webhooks/post.ts';
import { afterFailure, HEALTHY, isFailing, isGivenUp } from '#shared/platform/webhooks/schedule.ts';

export const HEALTH_USES = { webhookEndpoints: ['find', 'move', 'replace'] } as const;

/** The receiver wants no more events (CONTRACT §15). */
const GONE = 410;

interface Ended {
  readonly answer: Pick<Answer, 'status' | 'error'>;
  readonly isProbe: boolean;
  /** The address that answered. */
  readonly url: string;
}

/**
 * The endpoint after an attempt has ended: with other health, or disabled. A response of a former URL changes nothing, and
 * nothing changes an endpoint that is disabled.
 */
export const afterAnswer = (
  endpoint: WebhookEndpoint,
  { answer: { status, error }, isProbe, url }: Ended,
  at: string,
): WebhookEndpoint => {
  if (endpoint.status === 'disabled' || endpoint.url !== url) return endpoint;
  if (status === GONE) return disable(endpoint, 'gone', at);
  if (!error) return recovered(endpoint, at);
  const { failures, failing_since, probes, probe_at } = endpoint;
  const before = { failures, failing_since, probes, probe_at };
  const health = afterFailure(before, Date.parse(at), isProbe);
  if (health === before) return endpoint;
  return isGivenUp(health, Date.parse(at)) ? disable(endpoint, 'failing', at) : { ...endpoint, ...health };
};

const recovered = (endpoint: WebhookEndpoint, at: string): WebhookEndpoint => {
  if (isFailing(endpoint)) return restarted(endpoint, at);
  return endpoint.failures > 0 ? { ...endpoint, ...HEALTHY } : endpoint;
};

/**
 * Writes what an attempt, or several, have changed of an endpoint, with these conditions. Only a disabling is a new version,
 * and an event.
 */
export const changeWrites = (
  { webhookEndpoints }: StoresOf<Pick<typeof HEALTH_USES, 'webhookEndpoints'>>,
  before: WebhookEndpoint,
  after: WebhookEndpoint,
  unchanged: readonly (keyof WebhookEndpoint)[],
): Write[] =>
  after.version === before.version
    ? webhookEndpoints.move(before, after, ['version', ...unchanged])
    : webhookEndpoints.replace(before, after, unchanged);
