import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { backoff } from '#shared/platform/backoff.ts';
import type { Commit, Outcome } from '#shared/platform/commit/commit.ts';
import { HEAD_ID, type OutboxRow, type RowName, toEvent } from '#shared/platform/commit/outbox-row.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { createEntity } from '#shared/platform/entity.ts';
import { firstIdAt, timeOf } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { EventRow } from './event.ts';
import type { FeedHead, HeadRow } from './feed-head.ts';
import { MAX_COMMIT_MS } from './margins.ts';
import { inCommitOrder } from './order.ts';
import { type Front, readAgain, readFront, readHead } from './outbox-front.ts';

/** DynamoDB permits 100 actions in a transaction, and one action changes the head. */
const MAX_EVENTS = 99;

/** The head takes about 50 bytes for each row that it names, and every transaction writes it. */
const MAX_NAMED = 200;

/** The time in which a call begins transactions. */
const LIMIT_MS = 10_000;

/** A sequencer that works on a backlog moves the head five times a second, as fast as DynamoDB accepts the events. */
const OBSERVATION_MS = 500;
/** A sequencer that has not moved the head for this time counts as ended. */
const RECENT_MS = 4000;

export type EventWriter = Pick<Store<EventRow>, 'append'>;

interface PublishOptions {
  /** After this time, no transaction but the first begins. */
  readonly ms?: number;
  /** When it is false, no transaction but the first begins. */
  readonly isNeeded?: () => boolean | Promise<boolean>;
  /** The result of the previous call, if the caller continues a backlog. */
  readonly head?: FeedHead | undefined;
}

/** The result of a turn of the sequencer. */
export interface Published {
  readonly head: FeedHead;
  /** The number of appended events. */
  readonly published: number;
  /** Whether the feed contains every change that waited at the call. */
  readonly isCaughtUp: boolean;
}

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
   * Appends the changes that wait now to the feed; it does not wait for later changes. It takes the oldest changes
   * first, some at a time, so that a backlog of any size becomes smaller. Any number of sequencers may run at the same
   * time: each transaction has the condition that the head is unchanged since the first of two reads. When two
   * sequencers take the same rows, one of them changes nothing and reads again; its transaction has used as many units.
   * So one that meets a backlog on which another one works waits.
   */
  async publish(
    events: EventWriter,
    { ms = LIMIT_MS, isNeeded = () => true, head: own }: PublishOptions = {},
  ): Promise<Published> {
    const deadline = Date.now() + ms;
    const isOver = async () => Date.now() >= deadline || !(await isNeeded());
    let transactions = 0;
    const mayBegin = async () => transactions++ === 0 || !(await isOver());
    let published = 0;
    let requested: readonly number[] | undefined;
    /** It is this sequencer's turn while it has moved the head last, or nobody has moved the head for a while. */
    let turn = own?.sequence;
    for (let losses = 0; ; ) {
      const front = await readFront(this.#context, this.#account);
      if (front.isWhole) requested ??= front.waiting.map(({ id }) => id);
      if (requested?.every((id) => isPublished(id, front))) {
        await this.#delete(front.published);
        return { head: front.head, published, isCaughtUp: true };
      }
      if (!front.isWhole && front.head.sequence !== turn && isRecent(front.head)) {
        if (!(await isNeeded())) return { head: front.head, published, isCaughtUp: false };
        turn = front.head.sequence;
        const pause = observationMs();
        // A call that has no time to wait tries its transaction.
        if (Date.now() + pause < deadline) {
          await sleep(pause);
          continue;
        }
      }
      const { head, isDone } = await this.#append(front, events, mayBegin);
      published += head.sequence - front.head.sequence;
      turn = head.sequence;
      const isCaughtUp = isDone && front.isWhole;
      if (isCaughtUp || (await isOver())) return { head, published, isCaughtUp };
      losses = isDone ? 0 : losses + 1;
      if (losses > 0) await backoff(losses);
    }
  }

  /**
   * The changes that are not events yet, and the end of the feed.
   * @throws ProblemError `unavailable` when more changes wait than one query reads
   */
  async readWaiting(): Promise<{ readonly waiting: readonly OutboxRow[]; readonly head: FeedHead }> {
    const { waiting, head, isWhole } = await readFront(this.#context, this.#account);
    if (!isWhole) throw new ProblemError('unavailable', { detail: 'Many changes are not events yet.' });
    return { waiting, head };
  }

  /** The end of the feed; changes that wait are not counted. */
  readHead(): Promise<FeedHead> {
    return readHead(this.#context, this.#account);
  }

  /** Appends the events of these rows, unless another sequencer has changed the head. */
  async #append(
    front: Front,
    events: EventWriter,
    mayBegin: () => Promise<boolean>,
  ): Promise<{ readonly head: HeadRow; readonly isDone: boolean }> {
    let { head } = front;
    const second = await readAgain(this.#context, this.#account, front);
    if (!second) return { head, isDone: false };
    let undeleted = second.published;
    const rows = inCommitOrder(front.waiting, second.waiting);
    // Rows that are events already can fill the front of a backlog, and hide waiting rows until somebody deletes them.
    if (rows.length === 0) return { head, isDone: (await this.#delete(undeleted)).length < undeleted.length };
    for (const batch of transactionsOf(rows)) {
      // The head names a row until the row is deleted, so that no sequencer publishes it again.
      if (undeleted.length > MAX_NAMED) undeleted = await this.#delete(undeleted);
      if (undeleted.length > MAX_NAMED || !(await mayBegin())) return { head, isDone: false };
      const members = toEvents(batch, head);
      const last = members.at(-1) as EventRow;
      undeleted = [...undeleted, ...batch];
      const published = undeleted.map(({ id, write_id }) => ({ id, write_id }));
      const next = { sequence: last.sequence, last_id: last.id, published };
      const outcome = await this.#tryCommit(head, [
        this.#move(head, next),
        ...members.flatMap((member) => events.append(member)),
      ]);
      if (!outcome || !('done' in outcome)) return { head, isDone: false };
      head = next;
      undeleted = await this.#delete(undeleted);
    }
    return { head, isDone: true };
  }

  /** @returns undefined if the outcome is unknown; the next read of the head shows it */
  #tryCommit({ sequence }: FeedHead, writes: readonly Write[]): Promise<Outcome | undefined> {
    const deadline = Date.now() + MAX_COMMIT_MS;
    const canSucceed = async () => (await this.readHead()).sequence === sequence && Date.now() < deadline;
    return this.#commit({ writes, canSucceed, deadline }).catch((error) => {
      if (error instanceof ProblemError) return undefined;
      throw error;
    });
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
    const isNamed = expression.condition({ clauses: [['write_id', '=', write_id]] });
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
      condition: { clauses: [isUnchanged] },
      onConditionFailed: 'version-conflict',
    };
  }
}

const isPublished = (id: number, { waiting, last }: Front): boolean =>
  id <= last && !waiting.some((row) => row.id === id);

/** Each sequencer waits for another time, so that they do not all continue at the same moment. */
const observationMs = (): number => OBSERVATION_MS * (1 + 2 * Math.random());

const isRecent = ({ last_id }: FeedHead): boolean => last_id >= firstIdAt(Date.now() - RECENT_MS);

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
