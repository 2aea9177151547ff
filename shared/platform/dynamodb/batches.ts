import { QueryCommand, type QueryCommandInput, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { DynamoContext } from './client.ts';

/** A list in parts of at most `size` elements, for requests with a limit. */
export const batchesOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

/** The items of each page of a query. */
export const queryPages = <T>({ client }: DynamoContext, input: QueryCommandInput): AsyncGenerator<T[]> =>
  pagesOf((page) => client.send(new QueryCommand({ ...input, ...page })));

const SEGMENTS = 16;

/**
 * The items of each page of a scan, which begins at a random segment of the table: after a run that did not reach the
 * end, the next run begins elsewhere.
 * @param nextKey replaces the key after which the scan continues
 */
export async function* scanPages<T>(
  { client }: DynamoContext,
  input: ScanCommandInput,
  nextKey: NextKey = (key) => key,
): AsyncGenerator<T[]> {
  const first = Math.floor(Math.random() * SEGMENTS);
  for (let i = 0; i < SEGMENTS; i++) {
    const segment = { ...input, Segment: (first + i) % SEGMENTS, TotalSegments: SEGMENTS };
    yield* pagesOf<T>((page) => client.send(new ScanCommand({ ...segment, ...page })), nextKey);
  }
}

/** Merges lists: yields one item of each list in turn, so that a long list does not delay other lists. */
export async function* alternate<T>(lists: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  for (let open = lists; open.length > 0; ) {
    const results = await Promise.all(open.map((list) => list.next()));
    yield* results.flatMap(({ done, value }) => (done ? [] : [value]));
    open = open.filter((_, i) => !results[i]?.done);
  }
}

type Key = Readonly<Record<string, unknown>>;
type NextKey = (key: Key) => Key;

interface ItemPage {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Key | undefined;
}

async function* pagesOf<T>(
  read: (page: { ExclusiveStartKey: Key | undefined }) => Promise<ItemPage>,
  nextKey: NextKey = (key) => key,
): AsyncGenerator<T[]> {
  let ExclusiveStartKey: Key | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await read({ ExclusiveStartKey });
    yield Items as T[];
    ExclusiveStartKey = LastEvaluatedKey && nextKey(LastEvaluatedKey);
  } while (ExclusiveStartKey);
}
