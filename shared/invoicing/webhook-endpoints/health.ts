import { type Answer, afterFailure, HEALTHY, isGivenUp } from '#shared/platform/webhooks/schedule.ts';
import { disable, type WebhookEndpoint } from './rules.ts';

/** The receiver wants no more events (CONTRACT §15). */
const GONE = 410;

/** An attempt that has ended; without an answer, nothing was sent. */
interface Ended {
  readonly answer: Pick<Answer, 'status' | 'error'> | undefined;
  readonly endedAt: string;
  readonly attempt: { readonly isProbe: boolean };
  /** The address that answered. */
  readonly url: string;
}

/**
 * The endpoint after an attempt has ended: with other health, or disabled. A response of a former URL changes nothing, and
 * nothing changes an endpoint that is disabled.
 */
export const afterAnswer = (endpoint: WebhookEndpoint, { answer, attempt, url, endedAt }: Ended): WebhookEndpoint => {
  if (!answer || endpoint.status === 'disabled' || endpoint.url !== url) return endpoint;
  const { status, error } = answer;
  if (status === GONE) return disable(endpoint, 'gone', endedAt);
  if (!error) return { ...endpoint, ...HEALTHY };
  const at = Date.parse(endedAt);
  const health = afterFailure(endpoint, at, attempt.isProbe);
  if (health === endpoint) return endpoint;
  return isGivenUp(health, at) ? disable(endpoint, 'failing', endedAt) : { ...endpoint, ...health };
};
