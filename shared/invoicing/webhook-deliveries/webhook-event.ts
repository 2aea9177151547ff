import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { Event } from '#shared/invoicing/events/resource.ts';
import { type Fields, readOnly } from '#shared/platform/wire/field.ts';
import { Id, integer, nullable, oneOf } from '#shared/platform/wire/schema.ts';
import { TEST_TYPE } from './rules.ts';

/** The body of a delivery: the v1 form of an event, or of a test (CONTRACT §15). */
export const WEBHOOK_EVENT: Fields = {
  ...Event.fields.v1,
  id: readOnly(nullable(Id), 'The id of the event. Null for a test.'),
  sequence: readOnly(
    nullable(integer(1, Number.MAX_SAFE_INTEGER)),
    'The position in the feed: 1, 2, 3 … without gaps. Null for a test.',
  ),
  type: readOnly(oneOf('WebhookEventType', [...EVENT_TYPES, TEST_TYPE]), 'What happened, or `webhook.test`.'),
};
