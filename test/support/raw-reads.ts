import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';

/** An item as the engine encodes it. */
export type RawItem = Record<string, AttributeValue>;

interface Page {
  readonly Items?: readonly RawItem[];
  readonly LastEvaluatedKey?: RawItem;
  readonly message?: string;
}

const agent = new Agent({ keepAlive: true });

/** Reads all pages without the SDK, which takes several times as long. The engines of tests check no signature. */
export const readAll = async (
  client: DynamoDBDocumentClient,
  command: 'Scan' | 'Query',
  input: object,
): Promise<RawItem[]> => {
  const [address, headers] = [await addressOf(client), await headersOf(client, command)];
  const items: RawItem[] = [];
  for (let ExclusiveStartKey: RawItem | undefined; ; ) {
    const page = await send(address, headers, { ...input, ConsistentRead: true, ExclusiveStartKey });
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (!ExclusiveStartKey) return items;
  }
};

/** DynamoDB Local separates data by the access key. */
const headersOf = async ({ config }: DynamoDBDocumentClient, command: string): Promise<Record<string, string>> => {
  const { accessKeyId } = await config.credentials();
  const scope = `${accessKeyId}/20260101/${await config.region()}/dynamodb/aws4_request`;
  return {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${command}`,
    'x-amz-date': '20260101T000000Z',
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  };
};

interface Address {
  readonly hostname: string;
  readonly port?: number;
}

const addresses = new WeakMap<DynamoDBDocumentClient, Address>();

/** The address that the client resolves, from a request that it does not send. */
const addressOf = async (client: DynamoDBDocumentClient): Promise<Address> => {
  const known = addresses.get(client);
  if (known) return known;
  const command = new ScanCommand({ TableName: 'any' });
  command.middlewareStack.add(
    () => async (call) => {
      addresses.set(client, (call as unknown as { request: Address }).request);
      return { output: { $metadata: {} }, response: {} };
    },
    { step: 'build', priority: 'high' },
  );
  await client.send(command);
  return addresses.get(client) as Address;
};

const send = async ({ hostname, port }: Address, headers: Record<string, string>, input: object): Promise<Page> => {
  const sent = request({ agent, host: hostname, port, method: 'POST', headers });
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
