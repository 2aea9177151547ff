import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { MAX_DELIVERIES, type Waiting } from './plan.ts';
import type { WebhookDelivery } from './rules.ts';

const FIRST = { style: 'cursor', order: 'ascending', after: undefined } as const;
const { by } = resources.webhookDeliveries.queue;

/** An index usually shows a row after this time. */
export const INDEX_MS = 250;

/** The first pending deliveries of an endpoint. The index may not show yet what was stored just before. */
export const readPending = async (
  { webhookDeliveries }: StoresOf<{ webhookDeliveries: ['list'] }>,
  webhook_endpoint_id: number,
  limit = MAX_DELIVERIES,
): Promise<Pick<Waiting, 'deliveries' | 'hasMoreDeliveries'>> => {
  const sort = { by, from: undefined, before: undefined, after: undefined };
  const page = await webhookDeliveries.list({ ...FIRST, limit, filter: { webhook_endpoint_id }, sort });
  const deliveries = page.rows as readonly WebhookDelivery[];
  return { deliveries, hasMoreDeliveries: 'has_more' in page && page.has_more };
};
