import { randomInt } from 'node:crypto';
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { type WebhookEndpoint, wakeAt } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { backoff } from '#shared/platform/backoff.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { readUntilVisible } from '#shared/platform/events/read-until.ts';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { hasTime, waitForAll } from '#shared/platform/jobs/turns.ts';
import type { Answer } from '#shared/platform/webhooks/post.ts';
import { duringProbe, isFailing } from '#shared/platform/webhooks/schedule.ts';
import type { EndpointMessage } from '#shared/vocabulary.ts';
import { ATTEMPT_USES, attemptDelivery } from './attempt.ts';
import { type Batch, decide, mustWait, positionBefore } from './batch.ts';
import { afterAnswer, changeWrites } from './health.ts';
import { announce, countAttempts, sendOrReport } from './outcome.ts';
import { cancel, firstAttempted, isWaiting, mayResume, resume, type WebhookDelivery } from './rules.ts';
import { bodyOf, send } from './send.ts';

export const PUMP_USES = {
  webhookEndpoints: ATTEMPT_USES.webhookEndpoints,
  webhookDeliveries: [...ATTEMPT_USES.webhookDeliveries, 'list', 'insert'],
  events: [...ATTEMPT_USES.events, 'list'],
} as const;

type PumpStores = StoresOf<typeof PUMP_USES>;
type Message = QueueMessage<EndpointMessage>;

/** After this time a pump begins nothing else, and sends its message again: other accounts get their turn. */
const TURN_MS = 10_000;
/** Longer than a turn with its last attempts and its last commit. */
const LEASE_MS = 60_000;
/** Attempts at one endpoint at the same time. */
const IN_FLIGHT = 10;
/** A `resume_after` before all deliveries. */
const FIRST = 1;
/** Tries to begin while other pumps change the endpoint. */
const MAX_TRIES = 3;

const PAGE = { style: 'cursor', order: 'ascending' } as const;
const EVENTS = { ...PAGE, limit: 100, filter: {} } as const;

/**
 * Sends the events after the position of an endpoint (CONTRACT §15). Only the pump that has the lease of the endpoint sends;
 * another one notes that the feed has grown, and ends. For a deleted endpoint, its deliveries are canceled.
 */
export const pump = async (message: Message, stores: PumpStores): Promise<void> => {
  const { webhook_endpoint_id: id } = message.body;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const endpoint = (await stores.webhookEndpoints.find([id])).get(id);
    if (!endpoint) return cancelAll(message, stores);
    if (endpoint.status === 'disabled') {
      // A turn that ended while a request disabled the endpoint may have left a time: the reconciler would never stop.
      if (endpoint.due_at === undefined || (await message.commit(() => clearDue(endpoint, stores)))) return;
      continue;
    }
    const { lease_until } = endpoint;
    const now = Date.parse(message.now());
    const isHeld = lease_until > now;
    if (isHeld && endpoint.due_at !== undefined) return;
    // A note that comes too late is not needed: the other pump has changed the endpoint, and reads the feed afterwards.
    const claim = isHeld ? { lease_until, due_at: lease_until } : { lease_until: now + LEASE_MS, due_at: undefined };
    if (!(await message.commit(() => stores.webhookEndpoints.move(endpoint, claim, ['version', 'lease_until']))))
      continue;
    if (!isHeld) await new Pump(message, stores).run({ ...endpoint, ...claim });
    return;
  }
};

const clearDue = (endpoint: WebhookEndpoint, { webhookEndpoints }: PumpStores) =>
  webhookEndpoints.move(endpoint, { ...endpoint, due_at: undefined }, ['version', 'due_at']);

/** Deliveries of an endpoint that have not ended, as many as are attempted at the same time. */
const readPending = async (
  { webhookDeliveries }: PumpStores,
  webhook_endpoint_id: number,
  after: number | undefined,
) => {
  const filter = { webhook_endpoint_id, status: 'pending' };
  const page = await webhookDeliveries.list({ ...PAGE, limit: IN_FLIGHT, filter, after });
  const rows = page.rows as readonly WebhookDelivery[];
  return { rows, after: 'has_more' in page && page.has_more ? rows.at(-1)?.id : undefined };
};

const isOver = (message: Message, deadline: number): boolean =>
  Date.now() >= deadline || !hasTime(message) || message.stop?.aborted === true;

const cancelAll = async (message: Message, stores: PumpStores): Promise<void> => {
  const deadline = Date.now() + TURN_MS;
  const { commit, now, body } = message;
  for (let after: number | undefined; ; ) {
    const page = await readPending(stores, body.webhook_endpoint_id, after);
    await Promise.all(page.rows.map((row) => commit(() => stores.webhookDeliveries.replace(row, cancel(row, now())))));
    ({ after } = page);
    if (after === undefined) return;
    if (isOver(message, deadline)) return message.sendAgain(0);
  }
};

interface Outcome {
  readonly answer: Answer;
  readonly isProbe: boolean;
  readonly url: string;
  /** When the attempt began and ended. */
  readonly at: string;
  readonly endedAt: string;
}

/** The turn of a pump that has the lease. */
class Pump {
  readonly #message: Message;
  readonly #stores: PumpStores;
  readonly #deadline = Date.now() + TURN_MS;
  /**
   * By event, in the order in which the attempts ended. After a change of the endpoint, a batch is decided again, and what
   * was answered is not sent again.
   */
  readonly #outcomes = new Map<number, Outcome>();
  /** How often in a row the endpoint had changed before a commit. */
  #losses = 0;
  /** Whether the last step was of deliveries that waited. */
  #isResuming = false;

  constructor(message: Message, stores: PumpStores) {
    this.#message = message;
    this.#stores = stores;
  }

  async run(claimed: WebhookEndpoint): Promise<void> {
    const { id, lease_until } = claimed;
    let { rewound_at } = claimed;
    try {
      for (let endpoint: WebhookEndpoint | undefined = claimed; endpoint?.lease_until === lease_until; ) {
        if (endpoint.rewound_at !== rewound_at) this.#outcomes.clear();
        ({ rewound_at } = endpoint);
        if (await this.#step(endpoint)) return;
        if (this.#losses > 0) {
          if (!hasTime(this.#message)) throw new Error('The endpoint kept changing.');
          await backoff(this.#losses);
        }
        endpoint = (await this.#stores.webhookEndpoints.find([id])).get(id);
      }
    } catch (error) {
      const { report, body, now } = this.#message;
      report('a turn has failed', { ...body, error });
      // The reconciler wakes the endpoint, so the message has done its work. It would end in the dead-letter queue.
      await this.#move(claimed, { lease_until: 0, due_at: wakeAt(now()) }, ['lease_until']);
    }
  }

  /** @returns whether the turn has ended */
  #step(endpoint: WebhookEndpoint): Promise<boolean> {
    const released = { lease_until: 0, due_at: undefined };
    const hasOutcomes = this.#outcomes.size > 0;
    if (endpoint.status === 'disabled' && !hasOutcomes)
      return this.#move(endpoint, released, ['version', 'lease_until']);
    // Deliveries that wait and events take turns. Events begin after a recovery: the deliveries may fail again, and end it.
    const mayBegin = !this.#isResuming && !hasOutcomes && !isOver(this.#message, this.#deadline);
    this.#isResuming = mayBegin && mayResume(endpoint) && endpoint.resume_after !== 0;
    return this.#isResuming ? this.#resumeNext(endpoint) : this.#sendNext(endpoint);
  }

  #move(
    endpoint: WebhookEndpoint,
    change: Partial<WebhookEndpoint>,
    unchanged: readonly (keyof WebhookEndpoint)[],
  ): Promise<boolean> {
    const after = { ...endpoint, ...change };
    return this.#tryCommit(() => this.#stores.webhookEndpoints.move(endpoint, after, unchanged));
  }

  /** Makes the attempts of the next deliveries that wait. */
  async #resumeNext(endpoint: WebhookEndpoint): Promise<boolean> {
    const { rows, after } = await readPending(this.#stores, endpoint.id, endpoint.resume_after);
    const { commit, now, send: sendMessage } = this.#message;
    const at = now();
    const resumeOne = async (row: WebhookDelivery) => {
      if (!(await commit(() => this.#stores.webhookDeliveries.replace(row, resume(row, at))))) return;
      const body = { account_id: this.#message.body.account_id, webhook_delivery_id: row.id };
      const sendAgain = (delayMs: number) => sendMessage('deliveries', body, delayMs);
      await attemptDelivery({ ...this.#message, body, sendAgain }, this.#stores);
    };
    await waitForAll(rows.filter((row) => isWaiting(row, at)).map(resumeOne));
    return this.#commit(endpoint, { ...endpoint, resume_after: after }, { hasEvents: true });
  }

  /** Sends the next batch of events, if there is one. */
  async #sendNext(endpoint: WebhookEndpoint): Promise<boolean> {
    const { events, hasMore } = await readAfter(endpoint, this.#stores);
    const at = this.#message.now();
    const isAnswered = ({ id }: EventRow) => this.#outcomes.has(id);
    const batch = decide(endpoint, events, at, isAnswered);
    const beginsProbe = batch.isProbe && !batch.events.every(isAnswered) && !isOver(this.#message, this.#deadline);
    const { probe_at } = beginsProbe ? duringProbe(endpoint, Date.parse(at)) : endpoint;
    // A delivery that is due may probe instead.
    if (beginsProbe && !(await this.#move(endpoint, { probe_at }, ['version', 'lease_until', 'probe_at'])))
      return false;
    const current = { ...endpoint, probe_at };
    await this.#sendBatch(current, batch);
    const unsent = batch.events.find((event) => !isAnswered(event)) ?? batch.next;
    const health = this.#afterOutcomes(current);
    const resume_after = mayResume(endpoint) && health.resume_after === 0 ? FIRST : health.resume_after;
    const after = { ...health, ...positionBefore(unsent, current, events), resume_after };
    const attempted = batch.events.filter(({ sequence }) => sequence <= after.position);
    return this.#commit(current, after, { attempted, hasEvents: hasMore || unsent !== undefined });
  }

  /** Sends in the order of the feed, so that what was sent is the beginning of the batch. */
  async #sendBatch(endpoint: WebhookEndpoint, { events, isProbe }: Batch): Promise<void> {
    const queue = events.filter(({ id }) => !this.#outcomes.has(id));
    const mayBegin = () => {
      const after = this.#afterOutcomes(endpoint);
      return after.status === 'enabled' && (isProbe || !isFailing(after)) && !isOver(this.#message, this.#deadline);
    };
    const sendQueued = async () => {
      for (let event = mayBegin() && queue.shift(); event; event = mayBegin() && queue.shift()) {
        const at = this.#message.now();
        const { id: event_id, type: event_type } = event;
        const body = bodyOf(event);
        const log = { event_type, event_id, attempt: 1 };
        const answer = await send(endpoint, { id: `evt_${event_id}`, body, at, log }, this.#message);
        this.#outcomes.set(event_id, { answer, isProbe, url: endpoint.url, at, endedAt: this.#message.now() });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, sendQueued));
  }

  #afterOutcomes(endpoint: WebhookEndpoint): WebhookEndpoint {
    return [...this.#outcomes.values()].reduce((after, one) => afterAnswer(after, one, one.endedAt), endpoint);
  }

  /**
   * Commits a step: the endpoint, and the deliveries that were attempted. It fails if the endpoint has changed in between.
   * The turn ends when its time is over, when the endpoint fails, or at the end of the feed if nobody has noted that it has
   * grown.
   * @returns whether the turn has ended
   */
  async #commit(
    endpoint: WebhookEndpoint,
    changed: WebhookEndpoint,
    { attempted, hasEvents }: { readonly attempted?: readonly EventRow[]; readonly hasEvents: boolean },
  ): Promise<boolean> {
    const { now, body } = this.#message;
    const isWoken = endpoint.due_at !== undefined;
    const isEnabled = changed.status === 'enabled';
    const hasMore = hasEvents || mayResume(changed);
    const waits = mustWait(changed, now());
    const ends = !isEnabled || isOver(this.#message, this.#deadline) || (hasMore ? waits : !isWoken);
    const continues = ends && isEnabled && (hasMore || isWoken);
    const due_at = waits ? changed.probe_at : wakeAt(now());
    const after = {
      ...changed,
      ...(isFailing(changed) && { resume_after: undefined }),
      lease_until: ends ? 0 : endpoint.lease_until,
      due_at: continues ? due_at : undefined,
    };
    const fence = ['lease_until', 'position', 'rewound_at', 'failures', 'resume_after'] as const;
    let deliveries: readonly WebhookDelivery[] = [];
    const isDone = await this.#tryCommit(() => {
      deliveries = this.#toDeliveries(endpoint, attempted ?? []);
      return [
        ...changeWrites(this.#stores, endpoint, after, ends && !continues ? [...fence, 'due_at'] : fence),
        ...deliveries.flatMap((delivery) => this.#stores.webhookDeliveries.insert(delivery)),
      ];
    });
    if (!isDone) return false;
    if (attempted) this.#outcomes.clear();
    countAttempts(deliveries, this.#message);
    if (after.version !== endpoint.version) this.#message.count('WebhookEndpointsDisabled');
    await Promise.all(deliveries.map((delivery) => announce(delivery, this.#message)));
    if (continues && !waits) await sendOrReport(this.#message, body);
    return ends;
  }

  async #tryCommit(decide: Parameters<Message['commit']>[0]): Promise<boolean> {
    const isDone = await this.#message.commit(decide);
    this.#losses = isDone ? 0 : this.#losses + 1;
    return isDone;
  }

  #toDeliveries(endpoint: WebhookEndpoint, events: readonly EventRow[]): WebhookDelivery[] {
    const outcomes = events.map(({ id }) => this.#outcomes.get(id) as Outcome);
    const ids = idsAt(outcomes.map(({ at }) => at));
    return events.map((event, i) =>
      firstAttempted(endpoint, event, outcomes[i] as Outcome, ids[i] as number, Math.random()),
    );
  }
}

/** Ids that contain these times, in their order: those of one millisecond ascend. */
const idsAt = (times: readonly string[]): number[] => {
  const ids: number[] = [];
  let last = 0;
  for (const [i, at] of [...times.entries()].sort(([, a], [, b]) => (a < b ? -1 : Number(a > b)))) {
    last = Math.max(last + 1, createId(at, randomInt(IDS_PER_MILLISECOND / 2)));
    ids[i] = last;
  }
  return ids;
};

/** Reads the next events without a gap, because DynamoDB may show a transaction of the sequencer only in part. */
const readAfter = ({ position, position_id }: WebhookEndpoint, stores: PumpStores) =>
  readUntilVisible(async () => {
    const page = await stores.events.list({ ...EVENTS, after: position_id });
    const rows = page.rows as readonly EventRow[];
    const gap = rows.findIndex(({ sequence }, i) => sequence !== position + 1 + i);
    if (gap === 0) return undefined;
    const events = gap === -1 ? rows : rows.slice(0, gap);
    return { events, hasMore: gap !== -1 || ('has_more' in page && page.has_more) };
  });
