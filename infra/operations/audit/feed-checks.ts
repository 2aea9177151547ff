import type { AccountState } from '#infra/operations/audit/account-state.ts';
import { type Check, conditional, type Finding, type Repair } from '#infra/operations/audit/check.ts';
import { feedOf } from '#infra/operations/audit/feed-view.ts';
import { changesFor } from '#infra/operations/audit/lost-events.ts';
import type { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { ResourceChange } from '#shared/platform/commit/change.ts';
import { HEAD_ID, toEvent } from '#shared/platform/commit/outbox-row.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import type { Clause } from '#shared/platform/dynamodb/expression.ts';
import { createEntity } from '#shared/platform/entity.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import type { HeadRow } from '#shared/platform/events/feed-head.ts';
import { firstIdAt, timeOf } from '#shared/platform/id.ts';

/** The event of a change, and the changes in its outbox row, are the same fact. */
export const outbox: Check = {
  name: 'outbox',
  blocks: true,
  holds: 'A change that waits in the outbox is not an event yet.',
  repairs: 'The row of the outbox is deleted.',
  find: (state) => {
    const { waiting, events } = feedOf(state);
    const nameOf = (type: string, id: number, version: number) => `${type} ${id} ${version}`;
    const published = new Set(events.map((event) => nameOf(event.type, event.resource_id, event.resource_version)));
    const isEvent = ({ type, resource_id, version }: ResourceChange) =>
      published.has(nameOf(type, resource_id, version));
    return waiting.flatMap(({ id, write_id, changes }): Finding[] => {
      const change = changes.find(isEvent);
      if (!change) return [];
      const repair: Repair = ({ commit, account }) => {
        const key = { account_id: account, id };
        return commit(() => [conditional({ table: 'outbox', key, remove: true }, [['write_id', '=', write_id]])]);
      };
      return [
        { table: 'outbox', id, detail: `Its change ${change.type} is an event already.`, evidence: write_id, repair },
      ];
    });
  },
};

/** DynamoDB permits 100 actions in a transaction, and one action changes the head. */
const MAX_EVENTS = 99;

export const feed: Check = {
  name: 'feed',
  blocks: true,
  holds: 'The sequences of the events are 1, 2, 3 … without gaps, their ids ascend, and the head counts all of them.',
  repairs:
    'A lost sequence becomes the event of a version that has none, or of a customer that is created and deleted. The head is moved.',
  find: (state) => {
    const { events, head } = feedOf(state);
    const anchors = anchorsOf(state);
    const end = [...anchors.keys()].reduce((max, sequence) => Math.max(max, sequence), head.sequence);
    const last = events.at(-1);
    const finding = (detail: string, repair?: Repair, evidence: unknown = [head, last, end]): Finding[] => [
      { table: 'events', id: 'feed', detail, evidence, repair },
    ];
    const isOrdered = events.every(
      ({ id, sequence }, i) => i === 0 || isBefore(events[i - 1] as EventRow, id, sequence),
    );
    if (!isOrdered) return finding('Two events have the same sequence, or ids in another order.');
    if (end - events.length > MAX_LOST)
      return finding(`A row knows the sequence ${end}; there are ${events.length} events.`);
    const found = new Set(events.map(({ sequence }) => sequence));
    const lost = Array.from({ length: end }, (_, i) => i + 1).filter((sequence) => !found.has(sequence));
    const isCounted = head.sequence === end && head.last_id === (last?.id ?? 0);
    if (lost.length === 0 && isCounted) return [];
    const detail =
      lost.length > 0
        ? `${lost.length} sequences from ${lost[0]} to ${lost.at(-1)} have no event.`
        : `The head counts ${head.sequence} events up to the id ${head.last_id}; there are ${end}.`;
    // In an account in use, the head moves on, but a lost event stays lost.
    return finding(detail, fill(state, lost, end, anchors), lost.length > 0 ? lost : undefined);
  },
};

/** A restore does not lose more events than this; more are not created. */
const MAX_LOST = 100_000;

const isBefore = (before: EventRow, id: number, sequence: number): boolean =>
  before.sequence < sequence && before.id < id;

/** The ids of events by their sequences, from all rows that name events: rows also name lost events. */
const anchorsOf = (state: AccountState): ReadonlyMap<number, number> => {
  const { events, head } = feedOf(state);
  const endpoints = state.rows.webhookEndpoints as unknown as WebhookEndpoint[];
  const deliveries = state.rows.webhookDeliveries as unknown as WebhookDelivery[];
  return new Map([
    ...endpoints.map(({ position, position_id }) => [position, position_id] as const),
    ...deliveries.flatMap(({ sequence, event_id }) => (sequence && event_id ? [[sequence, event_id] as const] : [])),
    [head.sequence, head.last_id],
    ...events.map(({ sequence, id }) => [sequence, id] as const),
  ]);
};

/** Adds the lost events and moves the head, at most 99 events in a transaction. Interrupted, it is continued by a repetition. */
const fill =
  (state: AccountState, lost: readonly number[], end: number, anchors: ReadonlyMap<number, number>): Repair =>
  async ({ account, stores, commit, origin, checkEvent }) => {
    const { events, head } = feedOf(state);
    const changes = changesFor(lost, state);
    const sequences = changes.map((_, i) => lost[i] ?? end + 1 + i - lost.length);
    const ids = idsFor(sequences, events, anchors);
    if (!ids) return false;
    const members = changes.map((change, i) => {
      const id = ids[i] as number;
      return createEntity({ ...toEvent(change, origin), sequence: sequences[i] as number }, { id, at: timeOf(id) });
    });
    for (const member of members) checkEvent(member);
    let before: HeadRow = head;
    for (const batch of members.length > 0 ? batchesOf(members, MAX_EVENTS) : [[]]) {
      const known = [...events, ...members.slice(0, members.indexOf(batch.at(-1) as EventRow) + 1)];
      const last = known.reduce((a, b) => (a.sequence > b.sequence ? a : b), { sequence: 0, id: 0 });
      const isLater = last.sequence >= before.sequence;
      const after = isLater ? { ...before, sequence: last.sequence, last_id: last.id } : before;
      const key = { account_id: account, id: HEAD_ID };
      const isUnchanged: Clause = before.sequence === 0 ? ['sequence', 'absent'] : ['sequence', '=', before.sequence];
      const isDone = await commit(() => [
        conditional({ table: 'outbox', key, put: { ...key, ...after } }, [isUnchanged]),
        ...batch.flatMap((member) => stores.events.append(member)),
      ]);
      if (!isDone) return false;
      before = after;
    }
    return true;
  };

/**
 * Ascending ids: the original id where a row knows it, otherwise the id after the id of the previous event.
 * @returns undefined when no id is left between two events
 */
const idsFor = (
  sequences: readonly number[],
  events: readonly EventRow[],
  anchors: ReadonlyMap<number, number>,
): number[] | undefined => {
  const all = new Map(anchors);
  const next = (sequence: number) => events.find((event) => event.sequence > sequence)?.id ?? firstIdAt(Date.now());
  const ids = sequences.map((sequence) => {
    const id = all.get(sequence) ?? (all.get(sequence - 1) ?? 0) + 1;
    all.set(sequence, id);
    return id;
  });
  const isOrdered = sequences.every(
    (sequence, i) => (ids[i] as number) < next(sequence) && (ids[i] as number) > (all.get(sequence - 1) ?? 0),
  );
  return isOrdered ? ids : undefined;
};
