import type { Violation } from '#shared/platform/problem.ts';
import { type AddressRules, urlError } from '#shared/platform/webhooks/address.ts';

/** The violation of a `url` that webhooks may not reach (CONTRACT §15). */
export const checkUrl = (
  { url }: Readonly<Record<string, unknown>>,
  { webhookAddresses }: { readonly webhookAddresses: AddressRules },
): Violation[] => {
  const detail = typeof url === 'string' ? urlError(url, webhookAddresses) : undefined;
  return detail ? [{ pointer: '/url', code: 'invalid-url', detail }] : [];
};
