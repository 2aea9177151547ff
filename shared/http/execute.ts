import type { Context } from 'aws-lambda';
import type { Commit } from '#shared/data/commit.ts';
import type { Recall } from '#shared/data/idempotency.ts';
import type { Stores } from '#shared/data/stores.ts';
import type { Otherwise } from '#shared/data/write.ts';
import { IDS_PER_MILLISECOND, id } from '#shared/domain/id.ts';
import { Refusal } from '#shared/domain/refusal.ts';
import type { Version } from '#shared/wire/version.ts';
import type { Operation } from './endpoint.ts';
import type { Exchange, GatewayResult } from './exchange.ts';
import { expanded } from './expand.ts';
import { recordOf, replayed } from './idempotency.ts';
import type { ParsedRequest } from './parse.ts';
import { respond } from './respond.ts';

/** What an operation reaches beyond the request: its account's stores, and the one commit. */
export interface Reach {
  readonly stores: (account: string) => Stores;
  readonly commit: Commit;
  readonly recall: Recall;
  readonly idempotencyHours: number;
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
    while (true) {
      const time = new Date();
      const seconds = Math.floor(time.getTime() / 1000);
      try {
        const { reply, response } = await decide(operation, event, stores, time);
        const record = keyed && recordOf(keyed, response, seconds, reach.idempotencyHours);
        const outcome = await reach.commit(reply.writes, record, deadline);
        if ('done' in outcome) return response;
        if ('replay' in outcome && keyed) return replayed(outcome.replay, keyed);
        if ('failed' in outcome) rerunOrRefuse(outcome.failed, deadline);
      } catch (error) {
        if (!keyed || !isDecided(error)) throw error;
        // A twin may have committed after this one's look at the state: then its answer is this one's, too.
        const record = await reach.recall(keyed.key, seconds);
        if (!record) throw error;
        return replayed(record, keyed);
      }
    }
  };

const decide = async (operation: Operation, event: Exchange, stores: Stores, time: Date) => {
  const { input, selection } = event.request as ParsedRequest;
  const now = time.toISOString();
  const newId = () => id(now, Math.floor(Math.random() * IDS_PER_MILLISECOND));
  const reply = await operation.handle({ ...input, now, newId }, stores);
  const resource = operation.returns[reply.status];
  const rows = reply.page?.rows ?? (reply.member ? [reply.member] : []);
  const embed =
    resource && selection.expand.length > 0
      ? await expanded(resource, selection.expand, rows, event.version as Version, stores)
      : undefined;
  return { reply, response: respond(event, reply, resource, embed) };
};

const rerunOrRefuse = (failed: Otherwise, deadline: number): void => {
  if (!RERUN.includes(failed)) throw new Refusal(failed as Exclude<Otherwise, 'stale' | 'clash'>);
  if (Date.now() >= deadline) throw new Refusal('unavailable');
};

/** A refusal on the state, which another attempt under the same key may have brought about. */
const isDecided = (error: unknown): boolean =>
  error instanceof Refusal && !['unavailable', 'request-in-progress', 'idempotency-key-reused'].includes(error.code);
