import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { type Access, accessesOf, type Request } from './accesses.ts';
import { Buckets } from './buckets.ts';
import { type Limits, NO_LIMITS } from './limits.ts';
import { cancel, type Refusal, type Reply, refuse } from './refusals.ts';

/** Sends a request to the engine with this input. */
export type Call = (input: object) => Promise<Reply>;

/** Answers requests within the limits of DynamoDB, which the embedded engines do not have. */
export class LimitedEngine {
  #limits = NO_LIMITS;
  buckets = new Buckets(NO_LIMITS);
  /** The items that transactions in progress write. */
  readonly #held = new Set<string>();
  /** Items for which a request was refused because a transaction held them. */
  conflicts = 0;

  /** Changes the limits. Each partition has the units of a second, and its usage is counted from now on. */
  configure(limits: Limits): void {
    this.#limits = limits;
    this.buckets = new Buckets(limits);
  }

  async answer(operation: string, request: Request, call: Call): Promise<Reply> {
    await pause(this.#limits.delayMs);
    const accesses = accessesOf(operation, request);
    const isTransaction = operation.startsWith('Transact');
    const refusals = accesses.map((access) => this.#refusal(access, isTransaction));
    const refusal = refusals.find((one) => one !== undefined);
    if (refusal) return isTransaction ? cancel(refusals) : refuse(refusal);
    // Taken before the call: otherwise all parallel requests would find the last unit.
    for (const { partition, leastUnits } of accesses) this.buckets.take(partition, leastUnits);
    const held = operation === 'TransactWriteItems' ? accesses.flatMap(({ item = [] }) => item) : [];
    for (const item of held) this.#held.add(item);
    try {
      if (held.length > 0) await pause(this.#limits.holdMs);
      const reply = await call({ ...this.#page(operation, request), ReturnConsumedCapacity: 'INDEXES' });
      this.#takeConsumed(reply, accesses, request);
      return reply;
    } finally {
      for (const item of held) this.#held.delete(item);
    }
  }

  /**
   * Writes and TransactGetItems conflict with a transaction that writes the same item (DynamoDB Developer Guide,
   * transaction-apis.html, "Transaction conflict handling").
   */
  #refusal({ partition, item = '' }: Access, isTransaction: boolean): Refusal | undefined {
    if (!this.buckets.admits(partition)) return 'throttled';
    if (!this.#held.has(item) || (partition.kind === 'read' && !isTransaction)) return undefined;
    this.conflicts += 1;
    return 'conflict';
  }

  #page(operation: string, request: Request): Request {
    const { pageRows } = this.#limits;
    return operation === 'Query' && pageRows < (request.Limit ?? Infinity) ? { ...request, Limit: pageRows } : request;
  }

  /** DynamoDB reports the units of a table, if it does not refuse; the items of a request share them evenly. */
  #takeConsumed({ body }: Reply, accesses: readonly Access[], { IndexName }: Request): void {
    const capacities = [(body['ConsumedCapacity'] ?? []) as ConsumedCapacity | ConsumedCapacity[]].flat();
    for (const { TableName, CapacityUnits, Table } of capacities) {
      const own = accesses.filter(({ table }) => table === TableName);
      const units = (IndexName ? CapacityUnits : Table?.CapacityUnits) ?? 0;
      for (const { partition, leastUnits } of own) this.buckets.take(partition, units / own.length - leastUnits);
    }
  }
}

const pause = async (ms: number): Promise<void> => {
  if (ms > 0) await sleep(ms);
};
