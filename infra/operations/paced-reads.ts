import {
  BatchGetCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { Pace } from '#shared/platform/store/pace.ts';
import type { Deployment } from './deployment.ts';

/** After so many refused calls in a row, about two minutes, DynamoDB is unreachable rather than busy. */
const MAX_REFUSALS = 30;

/** DynamoDB's maximum for BatchGetItem. */
const MAX_BATCH_KEYS = 100;

type Key = Record<string, unknown>;
type NextKey = (key: Key) => Key;

interface Page extends Consumed {
  readonly Items?: Record<string, unknown>[] | undefined;
  readonly LastEvaluatedKey?: Key | undefined;
}

/**
 * Reads whole tables and partitions, strongly consistent, one page at a time over all tables: each page waits until
 * half of the units of a partition has paid for the last page, so the requests of the accounts keep their throughput.
 */
export class PacedReads {
  readonly #dynamo: Deployment['dynamo'];
  readonly #pace: Pace;

  /** @param partitionUnits the read units of a partition in a second, by default the number of DynamoDB */
  constructor({ dynamo }: Pick<Deployment, 'dynamo'>, partitionUnits?: number) {
    this.#dynamo = dynamo;
    this.#pace = new Pace(partitionUnits);
  }

  query<T>(input: QueryCommandInput): AsyncGenerator<T[]> {
    return this.#pages((page) => this.#dynamo.send(new QueryCommand({ ...input, ...page })), !input.IndexName);
  }

  /** @param nextKey replaces the key after which the scan continues */
  scan<T>(input: ScanCommandInput, nextKey: NextKey = (key) => key): AsyncGenerator<T[]> {
    const { ExclusiveStartKey: first, IndexName } = input;
    return this.#pages((page) => this.#dynamo.send(new ScanCommand({ ...input, ...page })), !IndexName, nextKey, first);
  }

  /** The attributes of the rows that exist among these keys. */
  async find<T extends Key>(TableName: string, keys: readonly Key[], attributes: readonly string[]): Promise<T[]> {
    const found: T[] = [];
    for (const batch of batchesOf(keys, MAX_BATCH_KEYS)) {
      for (let Keys: Key[] = batch; Keys.length > 0; ) {
        const expression = new Expression();
        const ProjectionExpression = expression.projection(attributes);
        const request = { Keys, ConsistentRead: true, ProjectionExpression, ...expression.placeholders() };
        const input = { RequestItems: { [TableName]: request }, ReturnConsumedCapacity: 'TOTAL' } as const;
        const command = new BatchGetCommand(input);
        const { Responses, UnprocessedKeys } = await inTurn(this.#pace, () => this.#dynamo.send(command));
        for (const row of Responses?.[TableName] ?? []) found.push(row as T);
        Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
        if (Keys.length > 0) this.#pace.refused();
      }
    }
    return found;
  }

  /** @param isConsistent an index has only eventually consistent reads */
  async *#pages<T>(
    read: (
      page: Pick<QueryCommandInput, 'ExclusiveStartKey' | 'ConsistentRead' | 'ReturnConsumedCapacity'>,
    ) => Promise<Page>,
    isConsistent: boolean,
    nextKey: NextKey = (key) => key,
    first?: Key,
  ): AsyncGenerator<T[]> {
    let ExclusiveStartKey = first;
    do {
      const page = await inTurn(this.#pace, () =>
        read({ ExclusiveStartKey, ConsistentRead: isConsistent, ReturnConsumedCapacity: 'TOTAL' }),
      );
      yield (page.Items ?? []) as T[];
      ExclusiveStartKey = page.LastEvaluatedKey && nextKey(page.LastEvaluatedKey);
    } while (ExclusiveStartKey);
  }
}

/** The units of a call; of a batch, the units of each table. */
interface Consumed {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

/** Makes a call when its turn comes, and again while DynamoDB refuses it. */
export const inTurn = async <T extends Consumed>(pace: Pace, call: () => Promise<T>): Promise<T> => {
  for (let refusals = 0; ; ) {
    if (!(await pace.turn())) continue;
    try {
      const result = await call();
      const capacities = [result.ConsumedCapacity ?? []].flat();
      pace.used(capacities.reduce((units, { CapacityUnits = 0 }) => units + CapacityUnits, 0));
      return result;
    } catch (error) {
      const isRefused = error instanceof ProblemError && error.code === 'unavailable';
      if (!isRefused || ++refusals > MAX_REFUSALS) throw error;
      pace.refused();
    }
  }
};
