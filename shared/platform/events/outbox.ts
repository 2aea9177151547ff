import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Commit } from '#shared/platform/commit/commit.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { queryPages } from '#shared/platform/dynamodb/batches.ts';
import { backoff, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { createEntity } from '#shared/platform/entity.ts';
import { firstIdAt, timeOf } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { EventRow } from './event.ts';
import { EMPTY, type FeedHead, type HeadRow, namedBy, namesOf } from './feed-head.ts';
import { inCommitOrder } from './order.ts';
import { HEAD_ID, type OutboxRow, type RowName, toEvent } from './outbox-row.ts';

/** One read of an outbox: the rows that wait, and the rows that are events already. */
interface OutboxRead {
  readonly waiting: readonly OutboxRow[];
  readonly published: readonly RowName[];
  readonly head: HeadRow;
}

/** DynamoDB permits 100 actions in a transaction, and one changes the head. */
const MAX_EVENTS = 99;

/** The head takes about 50 bytes for each row that it names, and every transaction writes it. */
const MAX_NAMED = 200;

const LIMIT_MS = 10_000;

type Events = Pick<Store<EventRow>, 'append'>;

/** An account's changes that are not events yet, and the sequencer that turns them into events (CONTRACT §14). */
export class Outbox {
  readonly #context: DynamoContext;
  readonly #account: string;
  readonly #commit: Commit;

  constructor(context: DynamoContext, account: string, commit: Commit) {
    this.#context = context;
    this.#account = account;
    this.#commit = commit;
  }

  /**
   * Appends the changes that wait now to the feed; it does not wait for later ones. Any number of sequencers may run at
   * the same time: each transaction has the condition that the head is unchanged since the first of two reads. When two
   * sequencers take the same rows, one of them changes nothing and reads again.
   * @throws ProblemError `unavailable` after {@link LIMIT_MS}; the feed then ends with the last complete transaction
   */
  async publish(events: Events): Promise<{ readonly head: FeedHead; readonly published: number }> {
    const deadline = Date.now() + LIMIT_MS;
    let published = 0;
    let first = await this.#read();
    const requested = new Set(first.waiting.map(({ id }) => id));
    for (let run = 1; first.waiting.some(({ id }) => requested.has(id)); run++) {
      const second = await this.#read();
      const rows = inCommitOrder(first.waiting, second.waiting);
      const { head, isDone } = await this.#append(rows, { ...second, head: first.head }, events, deadline);
      published += head.sequence - first.head.sequence;
      if (isDone) return { head, published };
      await backoff(run);
      first = await this.#read();
    }
    await this.#delete(first.published);
    return { head: first.head, published };
  }

  /** The end of the feed; changes that wait are not counted. */
  async readHead(): Promise<FeedHead> {
    const { client, tableNames } = this.#context;
    const Key = { account_id: this.#account, id: HEAD_ID };
    const { Item } = await client.send(new GetCommand({ TableName: tableNames.outbox, Key, ConsistentRead: true }));
    return (Item as HeadRow | undefined) ?? EMPTY;
  }

  async #read(): Promise<OutboxRead> {
    const items: (OutboxRow | (HeadRow & { id: number }))[] = [];
    const expression = new Expression();
    const input = {
      TableName: this.#context.tableNames.outbox,
      KeyConditionExpression: `${expression.name('account_id')} = ${expression.value(this.#account)}`,
      ConsistentRead: true,
      ...expression.placeholders(),
    };
    for await (const page of queryPages<(typeof items)[number]>(this.#context, input)) items.push(...page);
    const head = items.find((item) => 'last_id' in item) ?? EMPTY;
    const isPublished = namedBy(head);
    const rows = items.filter((item) => 'changes' in item);
    return { waiting: rows.filter((row) => !isPublished(row)), published: rows.filter(isPublished), head };
  }

  /** Appends the events of these rows, unless another sequencer has changed the head. */
  async #append(
    rows: readonly OutboxRow[],
    { head: from, published }: OutboxRead,
    events: Events,
    deadline: number,
  ): Promise<{ readonly head: HeadRow; readonly isDone: boolean }> {
    let head = from;
    // The head names a row until the row is deleted, so that no sequencer publishes it again.
    let undeleted = published;
    for (const batch of transactionsOf(rows)) {
      if (Date.now() >= deadline) throw new ProblemError('unavailable', { detail: 'Too many changes are waiting.' });
      if (undeleted.length > MAX_NAMED) undeleted = await this.#delete(undeleted);
      if (undeleted.length > MAX_NAMED)
        throw new ProblemError('unavailable', { detail: 'The database did not respond in time.' });
      const members = toEvents(batch, head);
      const last = members.at(-1) as EventRow;
      undeleted = [...undeleted, ...batch];
      const next = { sequence: last.sequence, last_id: last.id, ...namesOf(undeleted) };
      const writes = [this.#move(head, next), ...members.flatMap((member) => events.append(member))];
      const outcome = await this.#commit({ writes, deadline });
      if (!('done' in outcome)) return { head, isDone: false };
      head = next;
      undeleted = await this.#delete(undeleted);
    }
    return { head, isDone: rows.length > 0 };
  }

  /**
   * Deletes rows after the transaction that published them. In that transaction, a reader could see the deletion before
   * the head, and would miss the events.
   * @returns the rows that may still exist; the next sequencer deletes them
   */
  async #delete(rows: readonly RowName[]): Promise<RowName[]> {
    const results = await Promise.allSettled(rows.map((row) => this.#deleteRow(row)));
    return rows.filter((_, i) => results[i]?.status === 'rejected');
  }

  /** Another sequencer may have deleted the row already, and a later commit may have taken its id. */
  async #deleteRow({ id, write_id }: RowName): Promise<void> {
    const { client, tableNames } = this.#context;
    const expression = new Expression();
    const isNamed = expression.condition({ match: 'all', clauses: [['write_id', '=', write_id]] });
    const input = {
      TableName: tableNames.outbox,
      Key: { account_id: this.#account, id },
      ConditionExpression: isNamed,
    };
    await client.send(new DeleteCommand({ ...input, ...expression.placeholders() })).catch((error: Error) => {
      if (error.name !== 'ConditionalCheckFailedException') throw error;
    });
  }

  #move(before: FeedHead, after: HeadRow): Write {
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
}

/** Groups the rows so that the events of a group fit one transaction. */
const transactionsOf = (rows: readonly OutboxRow[]): OutboxRow[][] => {
  const transactions: OutboxRow[][] = [];
  let events = MAX_EVENTS;
  for (const row of rows) {
    if (events + row.changes.length > MAX_EVENTS) {
      transactions.push([]);
      events = 0;
    }
    transactions.at(-1)?.push(row);
    events += row.changes.length;
  }
  return transactions;
};

/** Numbers the events without gaps. Their ids ascend even when a clock is behind. */
const toEvents = (rows: readonly OutboxRow[], { sequence, last_id }: FeedHead): EventRow[] => {
  const first = Math.max(firstIdAt(Date.now()), last_id + 1);
  const changes = rows.flatMap(({ changes, ...origin }) => changes.map((change) => toEvent(change, origin)));
  return changes.map((change, i) =>
    createEntity({ ...change, sequence: sequence + i + 1 }, { id: first + i, at: timeOf(first + i) }),
  );
};
