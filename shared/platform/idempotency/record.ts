import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoContext } from '#shared/platform/data/client.ts';
import type { ConditionalChange } from '#shared/platform/data/write.ts';

/**
 * The response to a committed request (CONTRACT §8). The record is action 0 of the transaction that commits the writes, so
 * that neither exists without the other: DynamoDB's reason 0 is the record's, reason i that of write i − 1.
 *
 *     first commit ────────────────────────── expires_at ───────▶ time
 *     │ same key, same body → the stored response │ the key is free;
 *     │ same key, other body → 422                │ TTL removes the record later
 *
 * A refusal leaves no record. Of concurrent requests with one key, one commits and the others replay its record; one
 * whose time ends while another commits is answered 409.
 */
export interface IdempotencyRecord {
  /** Account, version, method, path and the client's key. */
  readonly key: string;
  /** SHA-256 of the canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Epoch seconds. */
  readonly created_at: number;
  readonly expires_at: number;
}

/** The write of a record; it fails while another record of the key has not expired. */
export const putRecord = (record: IdempotencyRecord): ConditionalChange => ({
  table: 'idempotency',
  key: { key: record.key },
  put: { ...record },
  condition: {
    match: 'any',
    clauses: [
      ['key', 'absent'],
      ['expires_at', '<=', record.created_at],
    ],
  },
});

/** Finds the record of a key that has not expired. */
export type FindRecord = (key: string, now: number) => Promise<IdempotencyRecord | undefined>;

export const recordFinder =
  ({ client, tableNames }: DynamoContext): FindRecord =>
  async (key, now) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableNames.idempotency, Key: { key }, ConsistentRead: true }),
    );
    const record = Item as IdempotencyRecord | undefined;
    return record && record.expires_at > now ? record : undefined;
  };
