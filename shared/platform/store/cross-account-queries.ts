import { ListMultipartUploadsCommand, type ListMultipartUploadsCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import { alternate, queryPages, scanPages } from '#shared/platform/dynamodb/batches.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { DUE_PARTITIONS, dueIndex } from '#shared/platform/dynamodb/table.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** A multipart upload that is neither completed nor aborted. */
interface OpenUpload {
  readonly account_id: string;
  readonly id: string;
  /** The object's key without the account. */
  readonly name: string;
  readonly at: string;
}

interface RowKey {
  readonly account_id: string;
  readonly id: number;
}

export interface DueRow extends RowKey {
  readonly due_at: number;
}

export interface WaitingAccount {
  readonly account_id: string;
  /** The id of its oldest row, which contains the time of the change. */
  readonly oldest: number;
}

/** Queries across accounts. Only scheduled workers use them, to find due, abandoned and waiting rows. */
export class CrossAccountQueries {
  readonly #context: DynamoContext;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #options: { readonly abortSignal: AbortSignal };

  /** @param deadline aborts every call to S3 */
  constructor(context: DynamoContext, client: S3Client, bucket: string, deadline: AbortSignal) {
    this.#context = context;
    this.#client = client;
    this.#bucket = bucket;
    this.#options = { abortSignal: deadline };
  }

  /**
   * The keys of the rows that are due at `now` (epoch milliseconds), of each partition in turn the earliest. Eventually
   * consistent.
   */
  due<K extends object = DueRow>(table: TableName, now: number): AsyncGenerator<K> {
    return alternate(DUE_PARTITIONS.map((partition) => this.#dueIn<K>(partition, table, now)));
  }

  async *#dueIn<K extends object>(partition: string, table: TableName, now: number): AsyncGenerator<K> {
    const { name } = dueIndex('due_at');
    const expression = new Expression();
    const condition = `${expression.name(name)} = ${expression.value(partition)}`;
    const input = {
      TableName: this.#context.tableNames[table],
      IndexName: name,
      KeyConditionExpression: `${condition} AND ${expression.name('due_at')} <= ${expression.value(now)}`,
      ...expression.placeholders(),
    };
    for await (const rows of queryPages<K>(this.#context, input)) yield* rows;
  }

  /**
   * The accounts with rows in the outbox, each once: the scan skips the rest of an account that does not fit its page.
   * Eventually consistent.
   */
  async *waiting(): AsyncGenerator<WaitingAccount> {
    const expression = new Expression();
    const input = {
      TableName: this.#context.tableNames.outbox,
      FilterExpression: `${expression.name('id')} < ${expression.value(HEAD_ID)}`,
      ProjectionExpression: expression.projection(['account_id', 'id']),
      ...expression.placeholders(),
    };
    for await (const rows of scanPages<RowKey>(this.#context, input, (last) => ({ ...last, id: HEAD_ID }))) {
      // A page has the rows of an account in the order of their ids.
      const accounts = Map.groupBy(rows, ({ account_id }) => account_id);
      for (const [account_id, [first]] of accounts) yield { account_id, oldest: first?.id ?? 0 };
    }
  }

  /** The accounts with webhook endpoints. An account on several pages appears again. Eventually consistent. */
  async *accounts(): AsyncGenerator<{ readonly account_id: string }> {
    const expression = new Expression();
    const input = {
      TableName: this.#context.tableNames.webhookEndpoints,
      ProjectionExpression: expression.projection(['account_id']),
      ...expression.placeholders(),
    };
    for await (const rows of scanPages<{ readonly account_id: string }>(this.#context, input)) {
      for (const account_id of new Set(rows.map((row) => row.account_id))) yield { account_id };
    }
  }

  async *uploads(): AsyncGenerator<OpenUpload> {
    let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (from) {
      const command = new ListMultipartUploadsCommand({ Bucket: this.#bucket, ...from });
      const page: ListMultipartUploadsCommandOutput = await this.#client.send(command, this.#options);
      for (const { Key = '', UploadId: id = '', Initiated } of page.Uploads ?? []) {
        const [account_id = '', ...path] = Key.split('/');
        const at = (Initiated ?? new Date(0)).toISOString();
        yield { account_id, name: path.join('/'), id, at };
      }
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      from = page.IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
    }
  }
}
