import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { WebhookEndpoint } from './rules.ts';

/** A request has stored a delivery: its endpoint, which is enabled, is due. The commit fails if the endpoint has changed. */
export const dueWrites = (
  { webhookEndpoints }: StoresOf<{ webhookEndpoints: ['move'] }>,
  endpoint: WebhookEndpoint,
  at: string,
): Write[] => {
  const now = Date.parse(at);
  // Always another time, because a value that stays the same is not written.
  const due_at = endpoint.due_at === now ? now - 1 : now;
  const unchanged = endpoint.is_noted ? (['version', 'is_noted'] as const) : (['version'] as const);
  return webhookEndpoints.move(endpoint, { due_at, is_noted: true }, unchanged);
};
