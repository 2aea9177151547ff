import { text } from 'node:stream/consumers';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

type Item = Record<string, AttributeValue>;
interface Answer {
  readonly Items?: readonly Item[];
  readonly ScannedCount?: number;
  readonly LastEvaluatedKey?: { readonly id: { readonly N: string } };
}
interface Response {
  readonly statusCode: number;
  body: unknown;
}

/**
 * Sends a query and reads its answer past the SDK's deserializer, which walks every attribute of every row by its
 * schema: most of the time of a million rows (docs/benchmarks.md). Faults, retries and signing stay the SDK's.
 */
export const raw = async (
  client: DynamoDBDocumentClient,
  command: QueryCommand,
): Promise<{ rows: readonly unknown[]; scanned: number; last: number | undefined }> => {
  let answer: Answer = {};
  command.middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const response = result.response as Response;
      if (response.statusCode !== 200) return result;
      answer = JSON.parse(await text(response.body as NodeJS.ReadableStream));
      response.body = Buffer.from('{}');
      return result;
    },
    // A document command's own stack is its inner command's, too.
    { step: 'deserialize', priority: 'low', name: 'raw', override: true },
  );
  await client.send(command);
  const { Items = [], ScannedCount = 0, LastEvaluatedKey } = answer;
  const last = LastEvaluatedKey && Number(LastEvaluatedKey.id.N);
  return { rows: Items.map((item) => unmarshall(item)), scanned: ScannedCount, last };
};
