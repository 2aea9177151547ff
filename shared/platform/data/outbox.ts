import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createEntity } from '#shared/platform/entity.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { inCommitOrder } from '#shared/platform/events/order.ts';
import { HEAD_ID, type OutboxRow } from '#shared/platform/events/outbox-row.ts';
import { firstIdAt, timeOf } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { backoff, type DynamoContext } from './client.ts';
import { type Commit, createCommit } from './commit.ts';
import { Expression } from './expression.ts';
import type { Store } from './store.ts';
import type { Write } from './write.ts';

/** The end of an account's feed. */
export interface FeedHead {
  /** The number of events. */
  readonly sequence: number;
  /** The id of the last event; 0 without events. */
  readonly last_id: number;
}

const EMPTY: FeedHead = { sequence: 0, last_id: 0 };

/** DynamoDB permits 100 actions in a transaction, and one changes the head. */
const MAX_ACTIONS = 99;

const LIMIT_MS = 10_000;

type Events = Pick<Store<EventRow>, 'insert'>;

/** An account's changes that are not events yet, and the sequencer that makes them events (CONTRACT §14). */
export class Outbox {
  readonly #context: DynamoContext;
  readonly #account: string;
  readonly #commit: Commit;

  constructor(context: DynamoContext, account: string) {
    this.#context = context;
    this.#account = account;
    this.#commit = createCommit(context);
  }

  /**
   * Appends the waiting changes to the feed. Any number of sequencers may run at the same time: each transaction has the
   * condition that the head is unchanged, so of two that take the same rows one changes nothing and reads again.
   * @throws ProblemError `unavailable` after {@link LIMIT_MS}; the feed then ends with the last complete transaction
   */
  async publish(events: Events): Promise<{ readonly head: FeedHead; readonly published: number }> {
    const deadline = Date.now() + LIMIT_MS;
    for (let published = 0, run = 1; ; run++) {
      const { rows: first, head } = await this.#read();
      if (first.length === 0) return { head, published };
      if (Date.now() >= deadline) throw new ProblemError('unavailable', { detail: 'Too many changes are waiting.' });
      const second = await this.#read();
      const appended = await this.#append(inCommitOrder(first, second.rows), second.head, events, deadline);
      published += appended;
      if (appended === 0) await backoff(run);
    }
  }

  async #read(): Promise<{ rows: OutboxRow[]; head: FeedHead }> {
    const items: (OutboxRow | (FeedHead & { id: number }))[] = [];
    const expression = new Expression();
    const input = {
      TableName: this.#context.tableNames.outbox,
      KeyConditionExpression: `${expression.name('account_id')} = ${expression.value(this.#account)}`,
      ConsistentRead: true,
      ...expression.placeholders(),
    };
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({ ...input, ExclusiveStartKey: start });
      const { Items = [], LastEvaluatedKey } = await this.#context.client.send(command);
      items.push(...(Items as typeof items));
      start = LastEvaluatedKey;
    } while (start);
    const rows = items.filter((item) => 'changes' in item);
    return { rows, head: items.find((item) => 'last_id' in item) ?? EMPTY };
  }

  /** @returns the number of new events; it ends early when another sequencer has changed the head */
  async #append(rows: readonly OutboxRow[], from: FeedHead, events: Events, deadline: number): Promise<number> {
    let head = from;
    for (const batch of batchesOf(rows)) {
      const members = toEvents(batch, head);
      const last = members.at(-1) as EventRow;
      const next = { sequence: last.sequence, last_id: last.id };
      const writes = [
        this.#move(head, next),
        ...members.flatMap((member) => events.insert(member)),
        ...batch.map((row) => this.#remove(row)),
      ];
      const outcome = await this.#commit({ writes, deadline });
      if (!('done' in outcome)) break;
      head = next;
    }
    return head.sequence - from.sequence;
  }

  #move(before: FeedHead, after: FeedHead): Write {
    const key = { account_id: this.#account, id: HEAD_ID };
    const isUnchanged =
      before.sequence === 0 ? (['id', 'absent'] as const) : (['sequence', '=', before.sequence] as const);
    return {
      table: 'outbox',
      key,
      put: { ...key, ...after },
      condition: { match: 'all', clauses: [isUnchanged] },
      onConditionFailed: 'version-conflict',
    };
  }

  #remove({ id }: OutboxRow): Write {
    return {
      table: 'outbox',
      key: { account_id: this.#account, id },
      remove: true,
      condition: { match: 'all', clauses: [['id', 'present']] },
      onConditionFailed: 'version-conflict',
    };
  }
}

/** Rows whose events and deletions fit one transaction. */
const batchesOf = (rows: readonly OutboxRow[]): OutboxRow[][] => {
  const batches: OutboxRow[][] = [];
  let actions = MAX_ACTIONS;
  for (const row of rows) {
    const needed = row.changes.length + 1;
    if (actions + needed > MAX_ACTIONS) {
      batches.push([]);
      actions = 0;
    }
    batches.at(-1)?.push(row);
    actions += needed;
  }
  return batches;
};

/** Numbers the events without gaps, with ascending ids also when a clock is behind. */
const toEvents = (rows: readonly OutboxRow[], { sequence, last_id }: FeedHead): EventRow[] => {
  const first = Math.max(firstIdAt(Date.now()), last_id + 1);
  const changes = rows.flatMap(({ changes, actor, request_id }) =>
    changes.map(({ isDeletion, version, ...change }) => ({ ...change, resource_version: version, actor, request_id })),
  );
  return changes.map((change, i) =>
    createEntity({ ...change, sequence: sequence + i + 1 }, { id: first + i, at: timeOf(first + i) }),
  );
};
