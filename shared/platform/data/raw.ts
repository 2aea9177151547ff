import { text } from 'node:stream/consumers';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { convertToNative } from '@aws-sdk/util-dynamodb';

type Item = Readonly<Record<string, AttributeValue | undefined>>;
interface Answer {
  readonly Items?: readonly Item[];
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  readonly LastEvaluatedKey?: { readonly id: { readonly N: string } };
}
interface Response {
  readonly statusCode: number;
  body: unknown;
}

/** What one query brings: up to 1 MB, before the filter. */
export interface RawPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The read units that it took, also for rows that the filter left out; 0 where the engine does not tell. */
  readonly units: number;
  /** The last row that was looked at, where there may be more. */
  readonly last: number | undefined;
}

/**
 * Sends a query and answers the text of what comes, past the SDK's deserializer, which walks every attribute of every
 * row by its schema: most of the time of a million rows (docs/benchmarks.md). Faults, retries and signing stay the
 * SDK's.
 */
export const raw = async (client: DynamoDBDocumentClient, command: QueryCommand): Promise<string> => {
  let answer = '{}';
  command.middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const response = result.response as Response;
      if (response.statusCode !== 200) return result;
      answer = await text(response.body as NodeJS.ReadableStream);
      response.body = Buffer.from('{}');
      return result;
    },
    // A document command's own stack is its inner command's, too.
    { step: 'deserialize', priority: 'low', name: 'raw', override: true },
  );
  await client.send(command);
  return answer;
};

/** An attribute's value: what most are at once, the others as the SDK has it. */
const native = (attribute: AttributeValue): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.NULL) return null;
  const number = Number(attribute.N);
  return Number.isSafeInteger(number) ? number : convertToNative(attribute);
};

/**
 * Reads the answer to a query. Rows have the named attributes in this order, whatever DynamoDB's is: V8 is far quicker
 * with objects that are made alike.
 */
export const pageOf = (answer: string, attributes: readonly string[]): RawPage => {
  const { Items = [], ConsumedCapacity, LastEvaluatedKey } = JSON.parse(answer) as Answer;
  const rowOf = (item: Item) => {
    const row: Record<string, unknown> = {};
    for (const name of attributes) {
      const attribute = item[name];
      row[name] = attribute && native(attribute);
    }
    return row;
  };
  const last = LastEvaluatedKey && Number(LastEvaluatedKey.id.N);
  return { rows: Items.map(rowOf), units: ConsumedCapacity?.CapacityUnits ?? 0, last };
};
