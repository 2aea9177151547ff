import type { Context } from 'aws-lambda';
import type { Commit } from '#shared/data/commit.ts';
import type { Recall } from '#shared/data/idempotency.ts';
import type { OutgoingMessage } from '#shared/data/queues.ts';
import type { Stores } from '#shared/data/stores.ts';
import type { Otherwise } from '#shared/data/write.ts';
import { IDS_PER_MILLISECOND, id } from '#shared/domain/id.ts';
import { type Act, permit as checkPermitted, type PolicyContext } from '#shared/domain/policy.ts';
import { Refusal, type RefusalCode } from '#shared/domain/refusal.ts';
import type { Version } from '#shared/wire/version.ts';
import type { Input, Operation } from './endpoint.ts';
import type { Exchange, GatewayResult } from './exchange.ts';
import { recordOf, replayed } from './idempotency.ts';
import type { ParsedRequest } from './parse.ts';
import { contentOf } from './related.ts';
import type { Reply } from './reply.ts';
import { respond } from './respond.ts';

/** What an operation reaches beyond the request: its account's stores, and the one commit. */
export interface Reach {
  readonly stores: (account: string) => Stores;
  readonly commit: Commit;
  /** Tells a worker what there is to do; of operations that say so. */
  readonly send?: (message: OutgoingMessage, deadline: number) => Promise<void>;
  readonly recall: Recall;
  /** Waits before another run, the longer the more runs there were (from 1). */
  readonly backoff: (run: number) => Promise<void>;
  readonly idempotencyHours: number;
  readonly policy: Omit<PolicyContext, 'now'>;
}

/** Time kept back of the Lambda's own, to answer in. */
const MARGIN_MS = 1000;

const RERUN: readonly Otherwise[] = ['stale', 'clash'];

/**
 * Runs the handler, writes its reply and commits both, once. A handler only decides, so it runs again when what it
 * had read has changed meanwhile, and then sees the present state.
 */
export const execute =
  (operation: Operation, reach: Reach) =>
  async (event: Exchange, context: Context): Promise<GatewayResult> => {
    const { input, keyed } = event.request as ParsedRequest;
    const deadline = Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
    const stores = reach.stores(input.caller.account);
    let { match } = input;
    for (let run = 1; ; run++) {
      const now = new Date();
      const seconds = Math.floor(now.getTime() / 1000);
      try {
        const { policy } = reach;
        event.runs = run;
        const { writes, member, response, message } = await decide({
          operation,
          event,
          stores,
          policy,
          match,
          now: now.toISOString(),
        });
        const record = keyed && response && recordOf(keyed, response, seconds, reach.idempotencyHours);
        const outcome = await reach.commit(writes, record, deadline);
        if ('replay' in outcome && keyed) return replayed(outcome.replay, keyed);
        if ('failed' in outcome) {
          rerunOrRefuse(outcome.failed, deadline);
          // Losers of a race that all came back at once would only make each other lose again.
          await reach.backoff(run);
        } else if (response) {
          event.committed = member;
          if (message) await reach.send?.(message, deadline);
          return response;
        }
        // The precondition held when the first step was taken, which has changed the tag.
        else match = (member) => member;
      } catch (error) {
        if (!keyed || !isDecided(error)) throw error;
        // A twin may have committed after this one's look at the state: then its answer is this one's, too.
        const record = await reach.recall(keyed.key, seconds);
        if (!record) throw error;
        return replayed(record, keyed);
      }
    }
  };

/** One run of a handler. */
interface Run extends Pick<Input, 'match' | 'now'>, Pick<Reach, 'policy'> {
  readonly operation: Operation;
  readonly event: Exchange;
  readonly stores: Stores;
}

/** What the handler decides, and the response that says so; a mere step has none yet. */
interface Decision extends Pick<Reply, 'writes' | 'member' | 'message'> {
  readonly response?: GatewayResult;
}

const decide = async ({ operation, event, stores, policy, match, now }: Run): Promise<Decision> => {
  const { input, selection } = event.request as ParsedRequest;
  const newId = () => id(now, Math.floor(Math.random() * IDS_PER_MILLISECOND));
  const permit = (act: Act) => checkPermitted(input.caller, act, { ...policy, now });
  const reply = await operation.handle({ ...input, match, now, newId, permit }, stores);
  if ('again' in reply) return reply;
  const resource = operation.returns[reply.status];
  if (!resource) return { ...reply, response: respond(event, reply) };
  const content = await contentOf(resource, reply, selection, event.version as Version, stores);
  return { ...reply, response: respond(event, reply, content) };
};

const rerunOrRefuse = (failed: Otherwise, deadline: number): void => {
  if (failed instanceof Refusal) throw failed;
  if (!RERUN.includes(failed)) throw new Refusal(failed as Exclude<typeof failed, 'stale' | 'clash'>);
  if (Date.now() >= deadline) throw new Refusal('unavailable');
};

/** Refusals that no record stands against: faults, and what a scope forbids is forbidden before any replay (CONTRACT §8). */
const UNDECIDED: readonly RefusalCode[] = [
  'unavailable',
  'request-in-progress',
  'idempotency-key-reused',
  'insufficient-scope',
];

/** A refusal on the state, which another attempt under the same key may have brought about. */
const isDecided = (error: unknown): boolean => error instanceof Refusal && !UNDECIDED.includes(error.code);
