import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { Event } from '#shared/invoicing/events/resource.ts';
import { TEST_TYPE } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { WEBHOOK_HEADERS } from '#shared/platform/webhooks/headers.ts';
import { type Fields, readOnly } from '#shared/platform/wire/field.ts';
import { Id, integer, nullable, oneOf } from '#shared/platform/wire/schema.ts';
import type { Json } from './json-schema.ts';
import { examples, type RecordedExchange } from './recorded.ts';
import { fieldSchemas, ref } from './resources.ts';

/**
 * The body of a webhook, an event or a test (CONTRACT §15). The body has the v1 form, also for an endpoint that was
 * created with another version.
 */
const WEBHOOK_EVENT: Fields = {
  ...Event.fields.v1,
  id: readOnly(nullable(Id), 'The id of the event. Null for a test.'),
  sequence: readOnly(
    nullable(integer(1, Number.MAX_SAFE_INTEGER)),
    'The position in the feed: 1, 2, 3 … without gaps. Null for a test.',
  ),
  type: readOnly(oneOf('WebhookEventType', [...EVENT_TYPES, TEST_TYPE]), 'What happened, or `webhook.test`.'),
};

export const WEBHOOK_SCHEMAS: Json = {
  WebhookEvent: {
    description:
      'An event as a webhook sends it: in its v1 form. A test has the type `webhook.test`, and null as `id` and `sequence`.',
    type: 'object',
    properties: fieldSchemas(WEBHOOK_EVENT),
    required: Object.keys(WEBHOOK_EVENT),
  },
};

const header = ([name, description]: readonly [string, string]): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The requests that the service sends (CONTRACT §15). */
export const webhooksOf = (exchanges: readonly RecordedExchange[]): Json => {
  const events = exchanges.filter(({ file, version }) => file === 'events/get' && version === 'v1');
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        summary: 'Receive an event',
        description:
          'The service sends each event to the webhook endpoints that subscribe to its type, at least once and in any ' +
          'order. Verify the signature before you read the body. See Webhooks.',
        security: [],
        parameters: Object.entries(WEBHOOK_HEADERS).map(header),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: ref('schemas', 'WebhookEvent'), ...examples(events, ({ body }) => body) },
          },
        },
        responses: RESPONSES,
      },
    },
  };
};

const RESPONSES: Json = {
  '2XX': { description: 'The delivery has succeeded, if the response arrives within 15 seconds.' },
  '410': { description: 'The webhook endpoint is disabled (`gone`). Its deliveries wait until it is enabled again.' },
  default: {
    description:
      'Any other response, also a redirect: the delivery is tried again later, up to ten times in all. A `Retry-After` ' +
      'can delay the next attempt.',
  },
};
