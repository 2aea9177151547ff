import type { EventRow } from '#shared/platform/events/event.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** The last event of the feed that was sent or skipped, by its sequence and its id. */
export interface FeedPosition {
  readonly position: number;
  readonly position_id: number;
  /** Whether the feed was read up to the creation of the endpoint, before which it gets no events. */
  readonly is_started: boolean;
}

/** An endpoint in the feed. */
interface Place extends FeedPosition {
  readonly id: number;
}

const isCreationOf = ({ id }: Place, { type, resource_id }: EventRow): boolean =>
  type === 'webhook_endpoint.created' && resource_id === id;

/** The events after the creation of the endpoint, which is an event itself. */
export const afterCreation = (endpoint: Place, events: readonly EventRow[]): readonly EventRow[] => {
  if (endpoint.is_started) return events;
  const creation = events.findIndex((event) => isCreationOf(endpoint, event));
  return creation === -1 ? [] : events.slice(creation + 1);
};

/** The position after all of these events, or before `next`, which must still be sent. */
export const positionBefore = (
  next: EventRow | undefined,
  endpoint: Place,
  events: readonly EventRow[],
): FeedPosition => {
  const passed = next ? events.filter(({ sequence }) => sequence < next.sequence) : events;
  const { id: position_id, sequence: position } = passed.at(-1) ?? {
    id: endpoint.position_id,
    sequence: endpoint.position,
  };
  return {
    position,
    position_id,
    is_started: endpoint.is_started || passed.some((event) => isCreationOf(endpoint, event)),
  };
};

/** Each rewind can send a whole feed again, to an address whose owner may not know of it. */
const REWIND_PAUSE_MS = 60_000;

/** @throws ProblemError `too-many-rewinds` within a minute of the last rewind */
export const checkRewindPause = ({ rewound_at }: { readonly rewound_at: number }, at: string): void => {
  const pauseMs = rewound_at + REWIND_PAUSE_MS - Date.parse(at);
  if (pauseMs <= 0) return;
  const retryAfter = Math.ceil(pauseMs / 1000);
  throw new ProblemError('too-many-rewinds', { detail: `It can be rewound again in ${retryAfter} s.`, retryAfter });
};

/**
 * Returns the position after the event with this sequence. An endpoint that is not beyond it keeps its position. One that has
 * not started yet would skip the events up to its creation, which may be among those that are asked for: it starts at once,
 * and may get some events before them, too.
 * @param head the last sequence of the feed
 * @param event the event with this sequence, as it was read; absent for the beginning of the feed
 * @throws ProblemError `unavailable` if another event was read: from a wrong position, the pump could not continue
 */
export const rewind = (
  { position, position_id, is_started }: FeedPosition,
  { sequence, head }: { readonly sequence: number; readonly head: number },
  event: { readonly id: number; readonly sequence: number } = { id: 0, sequence: 0 },
): FeedPosition => {
  if (sequence >= position) return { position, position_id, is_started: is_started || sequence <= head };
  if (event.sequence === sequence) return { position: sequence, position_id: event.id, is_started: true };
  throw new ProblemError('unavailable', { detail: 'Some events are not readable yet.' });
};
