import type { Context } from 'aws-lambda';
import type { Commit } from '#shared/platform/data/commit.ts';
import type { OutgoingMessage } from '#shared/platform/data/queues.ts';
import type { Otherwise } from '#shared/platform/data/write.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import { IDS_PER_MILLISECOND, id } from '#shared/platform/id.ts';
import { type Keyed, recordOf, replayed } from '#shared/platform/idempotency/key.ts';
import type { Recall } from '#shared/platform/idempotency/record.ts';
import { Refusal } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Exchange } from './context.ts';
import { contentOf } from './expand.ts';
import { respond } from './respond.ts';
import type { ParsedRequest } from './validate.ts';

/** What an operation reaches beyond the request: its account's stores, and the one commit. */
export interface Reach {
  readonly stores: (account: string) => Product['stores'];
  readonly commit: Commit;
  /** Tells a worker what there is to do; of operations that say so. */
  readonly send?: (message: OutgoingMessage, deadline: number) => Promise<void>;
  readonly recall: Recall;
  /** Waits before another run, the longer the more runs there were (from 1). */
  readonly backoff: (run: number) => Promise<void>;
  readonly idempotencyHours: number;
  /** @throws Refusal `policy-denied` for an action that a conditional rule forbids (CONTRACT §2) */
  readonly permit: (caller: Caller, act: Product['act'], now: string) => void;
}

/** Time kept back of the Lambda's own, to answer in. */
const MARGIN_MS = 1000;

/**
 * Runs the handler, commits what it decides and responds. A handler only reads and decides, so it runs again when what
 * it has read has changed meanwhile, and then sees the present state.
 */
export const execute =
  (operation: Operation, reach: Reach) =>
  async (event: Exchange, context: Context): Promise<GatewayResult> => {
    const deadline = Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
    for (let run = 1; ; run++) {
      event.runs = run;
      const result = await decideAndCommit(operation, reach, event, deadline);
      if (typeof result !== 'string') return result;
      if (Date.now() >= deadline)
        throw new Refusal('unavailable', { detail: 'Other requests kept changing the resource.' });
      // Without a pause, requests that lose a race together would meet again.
      await reach.backoff(run);
    }
  };

/** One run: the response, or why what the run had read no longer holds. */
const decideAndCommit = async (
  operation: Operation,
  reach: Reach,
  event: Exchange,
  deadline: number,
): Promise<GatewayResult | 'stale' | 'clash'> => {
  const { keyed } = event.request as ParsedRequest;
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    const { writes, member, response, message } = await decide(operation, reach, event, now.toISOString());
    const record = keyed && recordOf(keyed, response, seconds, reach.idempotencyHours);
    const outcome = await reach.commit(writes, record, deadline);
    if ('replay' in outcome) return replayed(outcome.replay, keyed as Keyed);
    if ('failed' in outcome) return rerunOrRefuse(outcome.failed);
    event.committed = member;
    if (message) await reach.send?.(message, deadline);
    return response;
  } catch (error) {
    // A request with the same key may have committed since this one read the state: then its response is this one's.
    const record = keyed && isDecided(error) ? await reach.recall(keyed.key, seconds) : undefined;
    if (!record) throw error;
    return replayed(record, keyed as Keyed);
  }
};

/** The handler's decision and its response. */
interface Decision extends Pick<Reply, 'writes' | 'member' | 'message'> {
  readonly response: GatewayResult;
}

const decide = async (operation: Operation, reach: Reach, event: Exchange, now: string): Promise<Decision> => {
  const { input, selection } = event.request as ParsedRequest;
  const stores = reach.stores(input.caller.account);
  const newId = () => id(now, Math.floor(Math.random() * IDS_PER_MILLISECOND));
  const permit = (act: Product['act']) => reach.permit(input.caller, act, now);
  const reply = await operation.handle({ ...input, now, newId, permit }, stores);
  const resource = operation.returns[reply.status];
  if (!resource) return { ...reply, response: respond(event, reply) };
  const content = await contentOf(resource, reply, selection, event.version as Version, stores);
  return { ...reply, response: respond(event, reply, content) };
};

const rerunOrRefuse = (failed: Otherwise): 'stale' | 'clash' => {
  if (typeof failed === 'string') return failed;
  const { code, ...facts } = failed;
  throw new Refusal(code, facts);
};

/** Refusals that no record stands against: faults, and what a scope forbids is forbidden before any replay (CONTRACT §8). */
const UNDECIDED: readonly Product['code'][] = [
  'unavailable',
  'request-in-progress',
  'idempotency-key-reused',
  'insufficient-scope',
];

/** A refusal on the state, which another attempt under the same key may have brought about. */
const isDecided = (error: unknown): boolean => error instanceof Refusal && !UNDECIDED.includes(error.code);
