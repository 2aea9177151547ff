import * as v from 'valibot';
import { EVENT_RESOURCE_TYPES, EVENT_TYPES } from '#shared/invoicing/event-types.ts';
import { resources } from '#shared/invoicing/index.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { derivedFrom, readOnly } from '#shared/platform/wire/field.ts';
import { Id, integer, nullable, oneOf, text } from '#shared/platform/wire/schema.ts';

const version = integer(1, Number.MAX_SAFE_INTEGER);

/** An event without embedded resources: otherwise a function would load the fields of all resources. */
export const StoredEvent = resource(resources.events, {
  sequence: readOnly(version, 'The position in the feed: 1, 2, 3 … without gaps.'),
  type: readOnly(oneOf('EventType', EVENT_TYPES), 'What happened: the type of the resource, and the change.'),
  resource_type: readOnly(oneOf('EventResourceType', EVENT_RESOURCE_TYPES), 'The type of the resource that changed.'),
  resource_id: readOnly(Id, 'The resource that changed.'),
  version: derivedFrom<EventRow>()(
    version,
    ['resource_version'],
    ({ resource_version }) => resource_version,
    'The version of the resource after the change, as in its ETag. For a deletion, its last version.',
  ),
  changed: readOnly(
    v.array(text()),
    'The names of the v1 fields that changed, without `updated_at`. Empty for a creation and a deletion.',
  ),
  actor: readOnly(nullable(text()), 'The `sub` of the token that made the change. Null for a worker.'),
  request_id: readOnly(text(), "The `X-Request-Id` of the request, or the id of the worker's invocation."),
});
