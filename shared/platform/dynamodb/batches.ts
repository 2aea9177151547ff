/** A list in parts of at most `size` elements, for requests with a limit. */
export const batchesOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

type Key = Record<string, unknown> | undefined;

interface ItemPage {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Key;
}

/** The items of each page of a query or a scan. */
export async function* pagesOf<T>(read: (ExclusiveStartKey: Key) => Promise<ItemPage>): AsyncGenerator<T[]> {
  let start: Key;
  do {
    const { Items = [], LastEvaluatedKey } = await read(start);
    yield Items as T[];
    start = LastEvaluatedKey;
  } while (start);
}
