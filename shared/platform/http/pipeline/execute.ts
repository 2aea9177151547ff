import type { Commit } from '#shared/platform/commit/commit.ts';
import { type FindRecord, type IdempotencyContext, replay, toRecord } from '#shared/platform/commit/idempotency.ts';
import { InvalidRowError, TornReadError } from '#shared/platform/declarations/resource.ts';
import { hasMethodThat, type StoresByName } from '#shared/platform/declarations/store-methods.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Caller } from '#shared/platform/http/caller.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Limited } from '#shared/platform/http/pipeline/steps/limit.ts';
import { type Binding, type Handler, type Versioned, when } from '#shared/platform/http/pipeline/steps/step.ts';
import type { Validated } from '#shared/platform/http/pipeline/steps/validate.ts';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { ProblemError, type StaleMember } from '#shared/platform/problem.ts';
import type { OutgoingMessage } from '#shared/platform/queues/queues.ts';
import type { Act, ProblemCode } from '#shared/vocabulary.ts';
import { expand } from './expand.ts';
import { checkReadOnlyFields, readsOf, respond, writesOf } from './respond.ts';

export interface ExecuteDependencies {
  readonly stores: (account: string) => StoresByName;
  readonly commit: Commit;
  /** Sends a message to a worker; present for operations with `sendsTo`. */
  readonly send?: (message: OutgoingMessage, deadline: number) => Promise<void>;
  readonly findRecord: FindRecord;
  /** The v1 fields that changed since the version of the client; undefined if they are not known. */
  readonly findChanged: (
    account: string,
    resource: NonNullable<Operation['ifMatch']>,
    member: StaleMember,
  ) => Promise<readonly string[] | undefined>;
  /** Waits before the next run, longer after each run. `run` counts from 1, and took `ms`. */
  readonly backoff: (run: number, ms: number) => Promise<void>;
  readonly idempotencyHours: number;
  /** Creates the function that throws `policy-denied` for an act that a conditional rule forbids (CONTRACT §2). */
  readonly permitFor: (caller: Caller, now: string) => (act: Act) => void;
}

/** A request that has passed all steps. */
type ReadyRequest = Versioned & Limited & Validated;

export const execute: Handler<ReadyRequest, Operation, ExecuteDependencies> = {
  name: 'execute',
  reads: readsOf,
  refuses: (operation) => [
    'validation-failed',
    'insufficient-scope',
    'unavailable',
    ...when(operation.idempotency, 'idempotency-key-reused', 'request-in-progress'),
    ...when(operation.permits, 'policy-denied'),
    ...when(usesMethodThatMisses(operation), 'not-found'),
    ...when(takesUniqueValues(operation), 'already-taken'),
    ...(operation.refuses ?? []).map((entry) => (typeof entry === 'string' ? entry : entry.code)),
  ],
  writes: (operation, status) => [
    ...writesOf(operation, status),
    ...when(operation.idempotency && status < 400, 'Idempotent-Replayed'),
  ],
  /** Repeats an attempt when another request has changed the state between its reads and its commit. */
  handle: async (request, binding, context) => {
    const deadline = Date.now() + context.getRemainingTimeInMillis() - MARGIN_MS;
    for (let run = 1; ; run++) {
      request.logged.runs = run;
      const begunAt = performance.now();
      const result = await attempt(request, binding, deadline).catch((error) => {
        if (isTorn(error) && run < MAX_TORN_RUNS) return 'version-conflict';
        throw error;
      });
      if (typeof result !== 'string') return result;
      if (Date.now() >= deadline)
        throw new ProblemError('unavailable', { detail: 'Other requests kept changing the resource.' });
      // Without a pause, the same requests would conflict again.
      await binding.backoff(run, performance.now() - begunAt);
    }
  },
};

const usesMethodThatMisses = ({ uses }: Operation): boolean =>
  Object.values(uses).some((methods) => hasMethodThat(methods, 'misses'));

const takesUniqueValues = ({ body, returns }: Operation): boolean =>
  body !== undefined && Object.values(returns).some((resource) => resource?.unique !== undefined);

const MARGIN_MS = 1000;

/** A pause precedes each run, so another request hardly ever commits between the reads of every run. */
const MAX_TORN_RUNS = 10;

/**
 * Another request may have committed between two reads. The conditions of a commit notice that change, but a row that
 * was decided from two states can be invalid, and a GET and an error response have no commit.
 */
const isTorn = (error: unknown): boolean => error instanceof InvalidRowError || error instanceof TornReadError;

/**
 * Runs the handler, which only reads and decides, and commits once.
 * @returns the response, or why the handler must run again
 */
const attempt = async (
  request: ReadyRequest,
  binding: Binding<Operation, ExecuteDependencies>,
  deadline: number,
): Promise<GatewayResult | 'version-conflict' | 'id-collision'> => {
  const { endpoint } = binding;
  const { input, selection, idempotency, apiVersion: version, isDryRun, requestId: request_id } = request;
  const { caller, path, requireScope } = input;
  const date = new Date();
  const [now, seconds] = [date.toISOString(), Math.floor(date.getTime() / 1000)];
  const stores = binding.stores(caller.account);
  try {
    const loading = { stores, version, requireScope };
    const [owner] = Object.values<number>(path);
    const loadRelated =
      selection.expand.length > 0 ? expand(selection.expand, endpoint.relations, owner, loading) : undefined;
    const newId = (following = 0, at = now) =>
      createId(at, Math.floor(Math.random() * (IDS_PER_MILLISECOND - following)));
    const permit = binding.permitFor(caller, now);
    const reply = await endpoint.handle({ ...input, now, newId, permit }, stores);
    if (endpoint.creates) checkReadOnlyFields(request, endpoint.creates, reply);
    const resource = endpoint.returns[reply.status] ?? undefined;
    const response = respond(request, reply, resource, resource && (await loadRelated?.(reply)));
    const refusal = await request.refusal;
    if (refusal) throw refusal;
    const record = idempotency && toRecord(idempotency, response, seconds, binding.idempotencyHours);
    const origin = { actor: caller.sub, request_id, newId: () => newId(0, new Date().toISOString()) };
    const { writes } = reply;
    const outcome = await binding.commit({ writes, record, origin, isDryRun, decidesAgain: true, deadline });
    if ('replay' in outcome) return replay(outcome.replay, idempotency as IdempotencyContext);
    if ('failed' in outcome) {
      if (typeof outcome.failed === 'string') return outcome.failed;
      const { code, idScope, members, ...details } = outcome.failed;
      const conflicting_id = idScope && caller.scopes.has(idScope) ? outcome.id : undefined;
      throw new ProblemError(code, { ...details, ...(members && { members: { ...members, conflicting_id } }) });
    }
    if (isDryRun) return response;
    request.logged.amount = reply.amount;
    if (reply.message) await binding.send?.(reply.message, deadline);
    return response;
  } catch (error) {
    // The 429 takes the place of this problem (serve.ts), and of a replay.
    if (await request.refusal) throw error;
    // A request with the same key may have committed after this request read the state; then its response is replayed.
    const record = idempotency && mayHaveRecord(error) ? await binding.findRecord(idempotency.key, seconds) : undefined;
    if (!record) throw await withChanges(error, caller, binding);
    return replay(record, idempotency as IdempotencyContext);
  }
};

/** Adds the changed fields to a failed precondition (CONTRACT §7). */
const withChanges = async (
  error: unknown,
  { account }: Caller,
  { endpoint: { ifMatch }, findChanged }: Binding<Operation, ExecuteDependencies>,
): Promise<unknown> => {
  if (!(error instanceof ProblemError && error.details.stale && ifMatch?.events)) return error;
  const changed = await findChanged(account, ifMatch, error.details.stale);
  return changed ? new ProblemError('precondition-failed', { ...error.details, members: { changed } }) : error;
};

/** Codes that never lead to a replay: transient problems, misuse of the key, and a missing scope (CONTRACT §8). */
const NEVER_RECORDED: readonly ProblemCode[] = [
  'unavailable',
  'request-in-progress',
  'idempotency-key-reused',
  'insufficient-scope',
];

/** A problem of the state, which a committed request with the same key may have caused. */
const mayHaveRecord = (error: unknown): boolean =>
  error instanceof ProblemError && !NEVER_RECORDED.includes(error.code);
