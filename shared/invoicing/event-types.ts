import { type EventDeclaration, eventTypesOf } from '#shared/platform/commit/change.ts';
import { resources } from './index.ts';

interface Eventful {
  readonly type: string;
  readonly events?: EventDeclaration;
}

const eventful = Object.values<Eventful>(resources).filter(({ events }) => events);

/** The types of the resources whose changes become events. */
export const EVENT_RESOURCE_TYPES = eventful.map(({ type }) => type);

/** Every type of event (CONTRACT §14). */
export const EVENT_TYPES = eventful.flatMap(({ type, events }) => eventTypesOf({ type, ...events }));
