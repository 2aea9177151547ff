import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { ConditionalChange } from '#shared/platform/commit/write.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';

/**
 * The response to a committed request (CONTRACT §8). The record is an action of the transaction that commits the writes
 * (shared/platform/commit/commit.ts), so neither exists without the other.
 *
 *     commit ───────────────────────────────── expires_at ──────▶ time
 *     │ same key, same body → stored response  │ the key is free;
 *     │ same key, other body → 422             │ TTL deletes the record later
 *
 * An error is not recorded. Of concurrent requests with one key, one commits. The other requests replay its record, or
 * get 409 when they reach their deadline before that commit.
 */
export interface IdempotencyRecord {
  /** Account, method, path with version, and the client's key. */
  readonly key: string;
  /** SHA-256 of the canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Fails while an unexpired record of the key exists. */
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

export type FindRecord = (key: string, now: number) => Promise<IdempotencyRecord | undefined>;

export const createRecordLookup =
  ({ client, tableNames }: DynamoContext): FindRecord =>
  async (key, now) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: tableNames.idempotency, Key: { key }, ConsistentRead: true }),
    );
    const record = Item as IdempotencyRecord | undefined;
    return record && record.expires_at > now ? record : undefined;
  };
