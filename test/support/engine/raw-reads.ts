import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { LocalService } from '#test/support/service/local-service.ts';

/** An item as the engine encodes it. */
export type RawItem = Record<string, AttributeValue>;

interface Page {
  readonly Items?: readonly RawItem[];
  readonly LastEvaluatedKey?: RawItem;
}

const agent = new Agent({ keepAlive: true });

/** Reads all pages without the SDK, which takes several times as long. The engines of tests check no signature. */
export const readAll = async (
  { client, database }: Pick<LocalService, 'client' | 'database'>,
  command: 'Scan' | 'Query',
  input: object,
): Promise<RawItem[]> => {
  const headers = await headersOf(client, command);
  const items: RawItem[] = [];
  for (let ExclusiveStartKey: RawItem | undefined; ; ) {
    const page = await send(database, headers, { ...input, ConsistentRead: true, ExclusiveStartKey });
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (!ExclusiveStartKey) return items;
  }
};

/** Puts items as the engine encodes them, without any check. */
export const putAll = async (
  { client, database }: Pick<LocalService, 'client' | 'database'>,
  TableName: string,
  items: readonly RawItem[],
): Promise<void> => {
  const headers = await headersOf(client, 'PutItem');
  for (const Item of items) await send(database, headers, { TableName, Item });
};

/** DynamoDB Local separates data by the access key. */
const headersOf = async ({ config }: LocalService['client'], command: string): Promise<Record<string, string>> => {
  const { accessKeyId } = await config.credentials();
  const scope = `${accessKeyId}/20260101/${await config.region()}/dynamodb/aws4_request`;
  return {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${command}`,
    'x-amz-date': '20260101T000000Z',
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  };
};

const send = async (database: string, headers: Record<string, string>, input: object): Promise<Page> => {
  const sent = request(database, { agent, method: 'POST', headers });
  sent.end(JSON.stringify(input));
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  sent.on('error', reject);
  sent.on('response', async (response) => {
    const page: Page = JSON.parse(await text(response));
    if (response.statusCode === 200) resolve(page);
    else reject(new Error(JSON.stringify(page)));
  });
  return promise;
};
