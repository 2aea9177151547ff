import type { Commit } from '#shared/platform/data/commit.ts';
import type { OutgoingMessage } from '#shared/platform/data/queues.ts';
import type { ConditionFailure } from '#shared/platform/data/write.ts';
import { hasId, type Operation } from '#shared/platform/endpoint.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/auth/caller.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import { IDS_PER_MILLISECOND, id } from '#shared/platform/id.ts';
import { type IdempotencyContext, replay, toRecord } from '#shared/platform/idempotency/key.ts';
import type { FindRecord } from '#shared/platform/idempotency/record.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Product } from '#shared/platform/product.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { RequestContext } from './context.ts';
import { loadRelated } from './expand.ts';
import { readsOf, respond, writesOf } from './respond.ts';
import { type Binding, type Handler, when } from './step.ts';
import type { ParsedRequest } from './validate.ts';

/** The account's stores, the commit, and what else an operation's handler depends on. */
export interface Dependencies {
  readonly stores: (account: string) => Product['stores'];
  readonly commit: Commit;
  /** Sends a message to a worker; of operations that declare it. */
  readonly send?: (message: OutgoingMessage, deadline: number) => Promise<void>;
  readonly findRecord: FindRecord;
  /** Waits before another run, the longer the more runs there were (from 1). */
  readonly backoff: (run: number) => Promise<void>;
  readonly idempotencyHours: number;
  /** @throws ProblemError `policy-denied` for an action that a conditional rule forbids (CONTRACT §2) */
  readonly permit: (caller: Caller, act: Product['act'], now: string) => void;
}

/** Decides, commits and replies. */
export const execute: Handler<Operation, Dependencies> = {
  name: 'execute',
  reads: readsOf,
  refuses: (operation) => [
    'validation-failed',
    'insufficient-scope',
    'unavailable',
    ...when(operation.idempotency, 'idempotency-key-reused', 'request-in-progress'),
    ...when(operation.permits, 'policy-denied'),
    ...when(hasId(operation) || bodyNamesMember(operation), 'not-found'),
    ...(operation.refuses ?? []).map((one) => (typeof one === 'string' ? one : one.code)),
  ],
  writes: (operation, status) => [
    ...writesOf(operation, status),
    ...when(operation.idempotency && status < 400, 'Idempotent-Replayed'),
  ],
  handle: (event, binding, context) => {
    const deadline = Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
    return retryUntil(deadline, binding.backoff, (run) => {
      event.attempts = run;
      return attempt(event, binding, deadline);
    });
  },
};

/** Store methods that refuse an id that names no member: a body may hold it, where the path does not. */
const bodyNamesMember = ({ uses }: Operation): boolean =>
  Object.values(uses).some((methods: readonly string[]) =>
    ['getReferenced', 'moveCount'].some((one) => methods.includes(one)),
  );

/** Time of the Lambda's own that is left to respond in. */
const MARGIN_MS = 1000;

/** Runs an attempt again while the state that it has read changes before its commit. */
const retryUntil = async (
  deadline: number,
  backoff: Dependencies['backoff'],
  attempt: (run: number) => Promise<GatewayResult | 'version-conflict' | 'id-collision'>,
): Promise<GatewayResult> => {
  for (let run = 1; ; run++) {
    const result = await attempt(run);
    if (typeof result !== 'string') return result;
    if (Date.now() >= deadline)
      throw new ProblemError('unavailable', { detail: 'Other requests kept changing the resource.' });
    // Without a pause, requests that lose a race together would meet again.
    await backoff(run);
  }
};

/** One run of the handler and its commit: the response, or why the state that the run had read no longer holds. */
const attempt = async (
  event: RequestContext,
  binding: Binding<Operation, Dependencies>,
  deadline: number,
): Promise<GatewayResult | 'version-conflict' | 'id-collision'> => {
  const { idempotency } = event.request as ParsedRequest;
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    const { reply, response } = await decide(event, binding, now.toISOString());
    const record = idempotency && toRecord(idempotency, response, seconds, binding.idempotencyHours);
    const outcome = await binding.commit(reply.writes, record, deadline);
    if ('replay' in outcome) return replay(outcome.replay, idempotency as IdempotencyContext);
    if ('failed' in outcome) return retryOrThrow(outcome.failed);
    event.amount = reply.amount;
    if (reply.message) await binding.send?.(reply.message, deadline);
    return response;
  } catch (error) {
    // A request with the same key may have committed since this one read the state: then its response is this one's.
    const record = idempotency && mayHaveRecord(error) ? await binding.findRecord(idempotency.key, seconds) : undefined;
    if (!record) throw error;
    return replay(record, idempotency as IdempotencyContext);
  }
};

/** The handler's reply, and its response. A handler only reads and decides, so that it can run again. */
const decide = async (
  event: RequestContext,
  { endpoint, stores, permit }: Binding<Operation, Dependencies>,
  now: string,
): Promise<{ reply: Reply; response: GatewayResult }> => {
  const { input, selection } = event.request as ParsedRequest;
  const reached = stores(input.caller.account);
  const reply = await endpoint.handle(
    {
      ...input,
      now,
      newId: () => id(now, Math.floor(Math.random() * IDS_PER_MILLISECOND)),
      permit: (act) => permit(input.caller, act, now),
    },
    reached,
  );
  const resource = endpoint.returns[reply.status];
  const content = resource && (await loadRelated(resource, reply, selection, event.version as Version, reached));
  return { reply, response: respond(event, reply, content ?? undefined) };
};

const retryOrThrow = (failed: ConditionFailure): 'version-conflict' | 'id-collision' => {
  if (typeof failed === 'string') return failed;
  const { code, ...facts } = failed;
  throw new ProblemError(code, facts);
};

/** Refusals that no record stands against: faults, and what a scope forbids is forbidden before any replay (CONTRACT §8). */
const NEVER_RECORDED: readonly Product['code'][] = [
  'unavailable',
  'request-in-progress',
  'idempotency-key-reused',
  'insufficient-scope',
];

/** A refusal on the state, which another attempt under the same key may have brought about. */
const mayHaveRecord = (error: unknown): boolean =>
  error instanceof ProblemError && !NEVER_RECORDED.includes(error.code);
