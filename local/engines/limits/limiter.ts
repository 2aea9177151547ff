import { setTimeout as sleep } from 'node:timers/promises';
import { actionsOf, type Batches, mergeBatches, type Request, selectActions } from './actions.ts';
import { Buckets } from './buckets.ts';
import type { Call, Reply } from './call.ts';
import { createDelay } from './delay.ts';
import { Locks } from './locks.ts';
import { canceled, conflicted, inProgress, isFailedCondition, type Refusal, throttled } from './refusals.ts';
import { Schemas } from './schemas.ts';
import { DYNAMODB_LIMITS, type Limits } from './settings.ts';
import { itemName, type Touched, touchedBy } from './touched.ts';
import { consumedUnits, leastUnits, type Units, withWantedCapacity } from './units.ts';
import { Visibility } from './visibility.ts';

/** Answers requests like DynamoDB, whose limits the engine does not have. */
export class ThroughputLimiter {
  #limits: Limits;
  readonly #pause: (ms: number) => Promise<unknown>;
  #delay: () => number;
  readonly #schemas = new Schemas();
  readonly #locks = new Locks();
  readonly buckets: Buckets;
  readonly visibility = new Visibility();
  /** Items for which a request was refused because another transaction held them. */
  conflicts = 0;

  constructor(limits: Partial<Limits> = {}, pause: (ms: number) => Promise<unknown> = sleep) {
    this.#pause = pause;
    this.#limits = { ...DYNAMODB_LIMITS, ...limits };
    this.#delay = createDelay(this.#limits);
    this.buckets = new Buckets(this.#limits);
  }

  /** Changes limits. All partitions have their burst credit again. */
  configure(limits: Partial<Limits>): void {
    this.#limits = { ...this.#limits, ...limits };
    this.#delay = createDelay(this.#limits);
    this.buckets.configure(this.#limits);
  }

  async answer(operation: string, request: Request, call: Call): Promise<Reply> {
    const actions = actionsOf(operation, request);
    if (!actions) return call(operation, request);
    await this.#wait(this.#delay());
    const touched = await touchedBy(actions, this.#schemas, call);
    if (operation.startsWith('Transact')) return this.#transact(operation, request, touched, call);
    if (operation.startsWith('Batch')) return this.#batch(operation, request, touched, call);
    const refusal = this.#refusal(touched[0] as Touched, false);
    if (refusal === 'conflict') return conflicted();
    if (refusal === 'throttled') return throttled(this.#isOnDemand(touched[0] as Touched));
    return this.#run(operation, request, touched, call);
  }

  async #transact(operation: string, request: Request, touched: readonly Touched[], call: Call): Promise<Reply> {
    if (touched.some((one) => this.#locks.isHeldBy(one, request.ClientRequestToken))) return inProgress();
    const items = touched.map((one) => ({
      refusal: this.#refusal(one, true),
      isOnDemand: this.#isOnDemand(one),
    }));
    if (items.some(({ refusal }) => refusal)) return canceled(items);
    return this.#run(operation, request, touched, call);
  }

  /** DynamoDB refuses a batch only when it can process none of the items. */
  async #batch(operation: string, request: Request, touched: readonly Touched[], call: Call): Promise<Reply> {
    const batches = request.RequestItems as Batches;
    const accepted = new Set<number>();
    let isThrottled = false;
    let reserved: Units = [];
    for (const [i, one] of touched.entries()) {
      const refusal = this.#refusal(one, false);
      isThrottled ||= refusal === 'throttled';
      if (refusal) continue;
      accepted.add(i);
      const units = leastUnits([one], false);
      this.#take(units);
      reserved = [...reserved, ...units];
    }
    this.#take(reserved, -1);
    if (accepted.size === 0 && isThrottled) return throttled(this.#isOnDemand(touched[0] as Touched));
    const isGet = operation === 'BatchGetItem';
    const rest = selectActions(batches, (i) => !accepted.has(i));
    const name = isGet ? 'UnprocessedKeys' : 'UnprocessedItems';
    if (accepted.size === 0) return { status: 200, body: { ...(isGet && { Responses: {} }), [name]: rest } };
    const part = { ...request, RequestItems: selectActions(batches, (i) => accepted.has(i)) };
    const run = touched.filter((_, i) => accepted.has(i));
    const { status, body } = await this.#run(operation, part, run, call);
    if (status !== 200) return { status, body };
    return { status, body: { ...body, [name]: mergeBatches((body[name] ?? {}) as Batches, rest) } };
  }

  /** Runs a request that is not refused, while other requests find its items held. */
  async #run(operation: string, request: Request, touched: readonly Touched[], call: Call): Promise<Reply> {
    const isTransaction = operation.startsWith('Transact');
    const { holdMs, indexLagMs, pageRows } = this.#limits;
    const reserved = leastUnits(touched, isTransaction);
    this.#take(reserved);
    const release = this.#locks.hold(touched, isTransaction, request.ClientRequestToken);
    try {
      if (operation === 'TransactWriteItems') await this.#wait(holdMs);
      const isPaged = (operation === 'Query' || operation === 'Scan') && pageRows < (request.Limit ?? Infinity);
      const wanted = { ...request, ...(isPaged && { Limit: pageRows }), ReturnConsumedCapacity: 'INDEXES' };
      const reply = await call(operation, wanted);
      if (!isFailedCondition(reply)) this.#take(reserved, -1);
      if (reply.status !== 200) return reply;
      this.#take(consumedUnits(reply, touched, (table) => this.#schemas.known(table)));
      this.visibility.note(touched, indexLagMs);
      const answer = withWantedCapacity(reply, request);
      const schema = this.#schemas.known(request.TableName);
      const body = this.visibility.filter(operation, request, answer.body, indexLagMs, (item) =>
        schema ? itemName(request.TableName, item, schema) : '',
      );
      return { ...answer, body };
    } finally {
      release();
    }
  }

  /** Whether the bucket of a partition that the action needs is empty, or another write holds the item. */
  #refusal(touched: Touched, isTransaction: boolean): Refusal | undefined {
    const partitions = [...touched.table, ...[...touched.indexes.values()].flat()];
    const empty = partitions.find((partition) => this.buckets.level(partition) <= 0);
    if (empty) {
      this.buckets.refuse(empty);
      return 'throttled';
    }
    if (!this.#locks.conflicts(touched, isTransaction)) return undefined;
    this.conflicts += 1;
    return 'conflict';
  }

  #take(units: Units, factor = 1): void {
    for (const [partition, one] of units) this.buckets.take(partition, factor * one);
  }

  #isOnDemand({ action }: Touched): boolean {
    return this.#schemas.known(action.TableName)?.isOnDemand ?? true;
  }

  async #wait(ms: number): Promise<void> {
    if (ms > 0) await this.#pause(ms);
  }
}
