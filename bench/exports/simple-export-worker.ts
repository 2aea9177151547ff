import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { stringify } from 'csv-stringify';
import { rowsOf } from '#shared/invoicing/exports/range.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import { amountDue, type Invoice } from '#shared/invoicing/invoices/rules.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());
const s3 = new S3Client({ forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });

/** More rows than a page has: without a limit the embedded engine, unlike DynamoDB, reads the whole range for each page. */
const LIMIT = 4000;
const PART_BYTES = 8 * 2 ** 20;
const COLUMNS = [
  'id',
  'status',
  'total_cents',
  'currency',
  'customer_id',
  'due_date',
  'description',
  'metadata',
  'amount_paid_cents',
  'amount_due_cents',
  'paid_at',
  'canceled_at',
  'created_at',
  'updated_at',
];
const STORED = COLUMNS.filter((column) => column !== 'amount_due_cents');

/**
 * The baseline of the export worker: an obvious first version. It reads page by page with the document client, formats
 * the rows with csv-stringify, and uploads them in parts. It has no lease, no checkpoint and no check of the rows.
 */
export const handler = async ({ Records }: SQSEvent): Promise<void> => {
  for (const { body } of Records) {
    const { account_id, export_id } = JSON.parse(body);
    await exportToFile(account_id, export_id);
  }
};

const exportToFile = async (account_id: string, id: number): Promise<void> => {
  const row = { TableName: process.env['EXPORTS_TABLE'], Key: { account_id, id } };
  const { Item } = await client.send(new GetCommand(row));
  const key = `${id}.csv`;
  const count = { rows: 0 };
  const csv = stringify({ header: true, columns: COLUMNS, record_delimiter: 'windows', escape_formulas: true });
  let file = { size: 0, sha256: '' };
  await pipeline(Readable.from(invoices(account_id, Item as Export, count)), csv, async (chunks) => {
    file = await upload(`${account_id}/${key}`, chunks as AsyncIterable<Buffer>);
  });
  await client.send(
    new UpdateCommand({
      ...row,
      UpdateExpression:
        'SET #status = :status, row_count = :rows, size_bytes = :size, sha256 = :sha256, file_key = :key',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':status': 'completed',
        ':rows': count.rows,
        ':size': file.size,
        ':sha256': file.sha256,
        ':key': key,
      },
    }),
  );
};

async function* invoices(account: string, job: Export, count: { rows: number }): AsyncGenerator<object> {
  const { from, before } = rowsOf(job);
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: process.env['INVOICES_TABLE'],
        KeyConditionExpression: '#account = :account AND #id BETWEEN :from AND :to',
        ProjectionExpression: STORED.map((column) => `#${column}`).join(', '),
        ExpressionAttributeNames: {
          '#account': 'account_id',
          ...Object.fromEntries(STORED.map((column) => [`#${column}`, column])),
        },
        ExpressionAttributeValues: { ':account': account, ':from': from, ':to': before - 1 },
        ConsistentRead: true,
        Limit: LIMIT,
        ExclusiveStartKey: start,
      }),
    );
    count.rows += Items.length;
    for (const item of Items) yield { ...item, amount_due_cents: amountDue(item as Invoice) };
    start = LastEvaluatedKey;
  } while (start);
}

const upload = async (Key: string, chunks: AsyncIterable<Buffer>): Promise<{ size: number; sha256: string }> => {
  const target = { Bucket: process.env['EXPORTS_BUCKET'], Key };
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...target, ContentType: 'text/csv' }));
  const hash = createHash('sha256');
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  let size = 0;
  let [pending, bytes]: [Buffer[], number] = [[], 0];
  const send = async () => {
    const PartNumber = Parts.length + 1;
    const Body = Buffer.concat(pending);
    const { ETag } = await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }));
    Parts.push({ PartNumber, ETag });
    [pending, bytes] = [[], 0];
  };
  for await (const chunk of chunks) {
    hash.update(chunk);
    pending.push(chunk);
    size += chunk.length;
    bytes += chunk.length;
    if (bytes >= PART_BYTES) await send();
  }
  if (bytes > 0) await send();
  await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }));
  return { size, sha256: hash.digest('hex') };
};
