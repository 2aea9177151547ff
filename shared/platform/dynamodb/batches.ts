import { QueryCommand, type QueryCommandInput, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { DynamoContext } from './client.ts';

/** A list in parts of at most `size` elements, for requests with a limit. */
export const batchesOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** The items of each page of a query. */
export const queryPages = <T>({ client }: DynamoContext, input: QueryCommandInput): AsyncGenerator<T[]> =>
  pagesOf((page) => client.send(new QueryCommand({ ...input, ...page })));

/** The items of each page of a scan. */
export const scanPages = <T>({ client }: DynamoContext, input: ScanCommandInput): AsyncGenerator<T[]> =>
  pagesOf((page) => client.send(new ScanCommand({ ...input, ...page })));

interface Page {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, unknown> | undefined;
}

async function* pagesOf<T>(
  read: (page: { ExclusiveStartKey: Page['LastEvaluatedKey'] }) => Promise<Page>,
): AsyncGenerator<T[]> {
  let ExclusiveStartKey: Page['LastEvaluatedKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await read({ ExclusiveStartKey });
    yield Items as T[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
