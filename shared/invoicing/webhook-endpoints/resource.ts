import * as v from 'valibot';
import { EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { resources } from '#shared/invoicing/index.ts';
import {
  ALL_TYPES,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  type WebhookEndpointTerms,
} from '#shared/invoicing/webhook-endpoints/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import type { Body } from '#shared/platform/wire/body.ts';
import { derivedFrom, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import {
  conditional,
  integer,
  list,
  nullable,
  object,
  oneOf,
  type Schema,
  text,
} from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

const MAX_URL_LENGTH = 2000;
const MAX_EVENT_TYPES = 50;

const EventTypes: Schema<readonly string[]> = v.pipe(
  list(oneOf('SubscribedEventType', [ALL_TYPES, ...EVENT_TYPES]), {
    min: 1,
    max: MAX_EVENT_TYPES,
    rule: { uniqueItems: true, ...conditional({ contains: { const: ALL_TYPES } }, { maxItems: 1 }) },
  }),
  v.check(
    (types) => types.length === 1 || !types.includes(ALL_TYPES),
    issue('not-allowed', `must have no other type next to ${ALL_TYPES}`),
  ),
  v.check(
    (types) => types.includes(ALL_TYPES) || new Set(types).size === types.length,
    issue('not-allowed', 'must have each type once'),
  ),
);

const BEGINNING = integer(
  0,
  Number.MAX_SAFE_INTEGER,
  'The `sequence` after which the events are delivered again; 0 for all.',
);

/** The body of a rewind, the same under every version. */
const rewinding = object({ sequence: BEGINNING }) as Schema<{ sequence: number }>;
export const Rewinding: Body<{ sequence: number }> = { v1: rewinding, v2: rewinding };

/** The response that shows a new secret; the secret is stored in another attribute. */
export interface WithSecret {
  readonly new_secret?: string;
}

/** CONTRACT §15. */
export const WebhookEndpoint = resource<WebhookEndpointTerms>(resources.webhookEndpoints, {
  url: required(
    text({ max: MAX_URL_LENGTH }),
    'The https address that receives the events, with port 443 or 8443. It must be reachable from the Internet.',
  ),
  description: optional(nullable(text()), null, 'A note for people.'),
  event_types: optional(
    EventTypes,
    [ALL_TYPES],
    'The types of the events that are sent, or `["*"]` for all types, including those that are added later.',
  ),
  status: optional(
    oneOf('WebhookEndpointStatus', ENDPOINT_STATUSES),
    'enabled',
    'A `disabled` endpoint receives nothing. Its deliveries and its position in the feed wait until it is enabled.',
  ),
  disabled_reason: readOnly(
    nullable(oneOf('WebhookEndpointDisabledReason', DISABLED_REASONS)),
    'Why the endpoint is disabled: `gone` (it answered 410), `failing` (it failed for 120 hours), `requested`, or null.',
  ),
  secret: {
    ...derivedFrom<WithSecret>()(
      nullable(text()),
      ['new_secret'],
      ({ new_secret = null }) => new_secret,
      'The secret for the verification of signatures: only in the responses that create or rotate it, null elsewhere.',
    ),
    existsFrom: 'response',
  },
});
