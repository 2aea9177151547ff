import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { resources } from '#shared/invoicing/index.ts';
import { DELIVERY_STATUSES, TEST_TYPE } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { readOnly } from '#shared/platform/wire/field.ts';
import { Failure, Id, integer, nullable, oneOf, Timestamp, text } from '#shared/platform/wire/schema.ts';

const EventType = oneOf('WebhookEventType', [...EVENT_TYPES, TEST_TYPE]);
const count = integer(0, Number.MAX_SAFE_INTEGER);

/** CONTRACT §15. */
export const WebhookDelivery = resource(resources.webhookDeliveries, {
  webhook_endpoint_id: readOnly(Id, 'The webhook endpoint that receives the event.'),
  event_id: readOnly(nullable(Id), 'The event that is sent. Null for a test.'),
  event_type: readOnly(EventType, 'The type of the event, or `webhook.test`.', { stored: text() }),
  sequence: readOnly(nullable(integer(1, Number.MAX_SAFE_INTEGER)), 'The sequence of the event. Null for a test.'),
  status: readOnly(
    oneOf('WebhookDeliveryStatus', DELIVERY_STATUSES),
    'First `pending`, then `succeeded`, `failed` (after the last attempt) or `canceled` (its endpoint was deleted).',
  ),
  attempts: readOnly(count, 'The number of attempts that have ended.'),
  next_attempt_at: readOnly(
    nullable(Timestamp),
    'When the next attempt follows, or null after the last one. A delivery of an endpoint that is disabled or fails may wait longer.',
  ),
  last_attempt_at: readOnly(nullable(Timestamp), 'When the last attempt began, or null.'),
  response_status: readOnly(nullable(integer(100, 999)), 'The status of the last response, or null without one.'),
  response_body: readOnly(nullable(text()), 'The first 1,000 characters of the last response, or null without one.'),
  error: readOnly(nullable(Failure), 'Why the last finished attempt failed, or null.'),
});
