import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { HEAD_ID, type OutboxRow, type RowName } from '#shared/platform/commit/outbox-row.ts';
import { queryPages } from '#shared/platform/dynamodb/batches.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { EMPTY, type HeadRow, namedBy } from './feed-head.ts';
import { CLOCK_SKEW_MS } from './margins.ts';

/** Rows of an outbox. */
interface Rows {
  readonly waiting: readonly OutboxRow[];
  /**
   * The rows that are events already, also rows behind the front, which a sequencer published early as predecessors of
   * other rows.
   */
  readonly published: readonly RowName[];
}

/** The oldest rows of an outbox. */
export interface Front extends Rows {
  readonly head: HeadRow;
  /** Whether the front contains every waiting row. */
  readonly isWhole: boolean;
  /** The front contains every row up to this id. */
  readonly last: number;
}

/** The rows of five transactions, if each has one change: 40 read units. */
const MAX_ROWS = 495;

export const readFront = async (context: DynamoContext, account: string): Promise<Front> => {
  const input = { ...queryOf(context, account, HEAD_ID), Limit: MAX_ROWS };
  const { Items = [], LastEvaluatedKey } = await context.client.send(new QueryCommand(input));
  const found = Items.find((item) => 'last_id' in item) as HeadRow | undefined;
  const isWhole = found !== undefined || LastEvaluatedKey === undefined;
  const head = found ?? (isWhole ? EMPTY : await readHead(context, account));
  const rows = Items.filter((item) => 'changes' in item) as OutboxRow[];
  const last = isWhole ? HEAD_ID : (rows.at(-1)?.id ?? 0);
  return { ...withoutPublished(rows, head, last), head, isWhole, last };
};

/** @param last the rows up to this id were read */
const withoutPublished = (rows: readonly OutboxRow[], head: HeadRow, last: number): Rows => {
  const isPublished = namedBy(head);
  const behind = head.published.filter(({ id }) => id > last);
  return { waiting: rows.filter((row) => !isPublished(row)), published: [...rows.filter(isPublished), ...behind] };
};

/**
 * Reads the waiting rows of a front again, and the rows of earlier commits whose ids another clock has made.
 * @returns undefined if another sequencer has changed the head since the front was read
 */
export const readAgain = async (
  context: DynamoContext,
  account: string,
  { head, isWhole, last }: Front,
): Promise<Rows | undefined> => {
  const end = isWhole ? HEAD_ID : last + CLOCK_SKEW_MS * IDS_PER_MILLISECOND;
  const rows: (OutboxRow | HeadRow)[] = [];
  const input = queryOf(context, account, end);
  for await (const page of queryPages<OutboxRow | HeadRow>(context, input)) for (const row of page) rows.push(row);
  const found = rows.find((row) => 'last_id' in row) ?? (isWhole ? head : await readHead(context, account));
  if (found.sequence !== head.sequence) return undefined;
  return withoutPublished(
    rows.filter((row) => 'changes' in row),
    head,
    end,
  );
};

export const readHead = async ({ client, tableNames }: DynamoContext, account: string): Promise<HeadRow> => {
  const Key = { account_id: account, id: HEAD_ID };
  const { Item } = await client.send(new GetCommand({ TableName: tableNames.outbox, Key, ConsistentRead: true }));
  return (Item as HeadRow | undefined) ?? EMPTY;
};

const queryOf = ({ tableNames }: DynamoContext, account: string, last: number) => {
  const expression = new Expression();
  const isOfAccount = `${expression.name('account_id')} = ${expression.value(account)}`;
  return {
    TableName: tableNames.outbox,
    KeyConditionExpression: `${isOfAccount} AND ${expression.name('id')} <= ${expression.value(last)}`,
    ConsistentRead: true,
    ...expression.placeholders(),
  };
};
