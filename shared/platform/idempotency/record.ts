import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Engine } from '#shared/platform/data/client.ts';
import type { ConditionalChange } from '#shared/platform/data/write.ts';

/** The answer to a committed request, kept under its key for the window (CONTRACT §8). */
export interface IdempotencyRecord {
  /** Account, version, method, path and the client's key. */
  readonly key: string;
  /** SHA-256 of the canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it was made and when it ends, in epoch seconds. */
  readonly created_at: number;
  readonly expires_at: number;
}

/** The write of a record: it takes the key unless a live record holds it, for TTL removes late. */
export const recorded = (record: IdempotencyRecord): ConditionalChange => ({
  table: 'idempotency',
  key: { key: record.key },
  put: { ...record },
  when: {
    match: 'any',
    clauses: [
      ['key', 'absent'],
      ['expires_at', '<=', record.created_at],
    ],
  },
});

/** Finds the live record of a key. */
export type Recall = (key: string, now: number) => Promise<IdempotencyRecord | undefined>;

export const recaller =
  ({ client, names }: Engine): Recall =>
  async (key, now) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: names.idempotency, Key: { key }, ConsistentRead: true }),
    );
    const record = Item as IdempotencyRecord | undefined;
    return record && record.expires_at > now ? record : undefined;
  };
