import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { WebhookEndpoint } from './rules.ts';

/** A request has stored a delivery: its endpoint is due, unless it is disabled. The commit fails if it has changed. */
export const dueWrites = (
  { webhookEndpoints }: StoresOf<{ webhookEndpoints: ['check', 'move'] }>,
  endpoint: WebhookEndpoint,
  at: string,
): Write[] => {
  if (endpoint.status === 'disabled') return webhookEndpoints.check(endpoint);
  const due = { due_at: Date.parse(at), is_noted: true } as const;
  // An attribute that has its value already is not written, so a pump must not remove it meanwhile.
  return webhookEndpoints.move(endpoint, due, ['version', 'is_noted', 'due_at']);
};
