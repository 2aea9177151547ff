import { SUBJECTS } from '#shared/invoicing/event-subjects.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { StoredEvent } from './stored-event.ts';

/** CONTRACT §14. */
export const Event: Resource = {
  ...StoredEvent,
  relations: {
    resource: {
      meaning: 'The resource as it is now. Only with `expand=resource`; null if it was deleted.',
      via: 'resource_id',
      resources: Object.values(SUBJECTS),
      typeIn: 'resource_type',
      versionIn: 'resource_version',
    },
  },
};
