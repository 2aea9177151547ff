import { setTimeout as sleep } from 'node:timers/promises';
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { afterAnswer } from '#shared/invoicing/webhook-endpoints/health.ts';
import { positionBefore } from '#shared/invoicing/webhook-endpoints/position.ts';
import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { backoff } from '#shared/platform/backoff.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { readNext } from '#shared/platform/events/read-next.ts';
import { beginTurn, hasTime } from '#shared/platform/jobs/turns.ts';
import { MAX_MESSAGE_DELAY_MS } from '#shared/platform/queues/queues.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import type { EndpointMessage } from '#shared/vocabulary.ts';
import { endedUntil, type Outcome, rowsOf } from './outcome.ts';
import { INDEX_MS, readPending } from './pending.ts';
import { type Attempt, nextStepAt, plan, type Step, type Waiting } from './plan.ts';
import { isRequested, type WebhookDelivery } from './rules.ts';
import { send } from './send.ts';

export const PUMP_USES = {
  webhookEndpoints: ['find', 'move', 'replace'],
  webhookDeliveries: ['list', 'insert', 'replace'],
  events: ['find', 'list'],
} as const;

export type PumpStores = StoresOf<typeof PUMP_USES>;
export type Message = QueueMessage<EndpointMessage>;

/** After this time a turn begins nothing else, and its message is sent again: other accounts get their turn. */
export const TURN_MS = 10_000;
/** Attempts at one endpoint at the same time. */
const IN_FLIGHT = 10;
/** What others change without a new version. */
const FENCE = ['lease_until', 'position', 'rewound_at'] as const;
/** Between the clocks of two workers. */
const MAX_SKEW_MS = 1000;
/** After a turn that has failed. */
const PAUSE_MS = 60_000;

/** The turn of a pump that has the lease: it reads, plans, sends and commits, step by step, until nothing is due. */
export class Turn {
  readonly #message: Message;
  readonly #stores: PumpStores;
  readonly #isOver: () => boolean;
  /**
   * By the key of the attempt, in the order in which the attempts ended. After a change of the endpoint, the step is planned
   * again, and what was answered is not sent again.
   */
  readonly #outcomes = new Map<string, Outcome>();
  /** The `due_at` of the endpoint before the turn. */
  readonly #due: number;
  /** When deliveries are due that the index may not show yet: as the turn before has found, and as this one has stored. */
  #times: readonly number[];
  /** The index may not show yet what the endpoint is due for: with nothing to do, the turn looks again after a moment. */
  #looksAgain: boolean;
  /** How often in a row the endpoint had changed before a commit. */
  #losses = 0;

  constructor(message: Message, stores: PumpStores, due_at = Number.POSITIVE_INFINITY) {
    this.#message = message;
    this.#stores = stores;
    this.#isOver = beginTurn(message, TURN_MS);
    this.#due = due_at;
    this.#looksAgain = due_at <= Date.now();
    this.#times = this.#looksAgain ? [] : [due_at];
  }

  /** @returns false if the endpoint was deleted meanwhile */
  async run(claimed: WebhookEndpoint): Promise<boolean> {
    const { id, lease_until } = claimed;
    let { position } = claimed;
    let endpoint: WebhookEndpoint | undefined = claimed;
    try {
      while (endpoint?.lease_until === lease_until) {
        // After a rewind, the events that were answered are sent again.
        if (endpoint.position < position)
          for (const [key, { attempt }] of this.#outcomes) if (attempt.event) this.#outcomes.delete(key);
        ({ position } = endpoint);
        if (await this.#step(endpoint)) return true;
        if (this.#losses > 0 && !hasTime(this.#message)) throw new Error('The endpoint kept changing.');
        if (this.#losses > 0) await backoff(this.#losses);
        endpoint = (await this.#stores.webhookEndpoints.find([id])).get(id);
      }
      return endpoint !== undefined;
    } catch (error) {
      const { report, body } = this.#message;
      report('a turn has failed', { ...body, error });
      // The reconciler wakes the endpoint, so the message has done its work. It would end in the dead-letter queue.
      const released = { lease_until: 0, is_noted: undefined, due_at: Date.now() + PAUSE_MS };
      await this.#message.commit(() => this.#stores.webhookEndpoints.move(claimed, released, ['lease_until']));
      return true;
    }
  }

  /** @returns whether the turn has ended */
  async #step(endpoint: WebhookEndpoint): Promise<boolean> {
    // The read shows what was due before.
    this.#times = this.#times.filter((time) => time > Date.now());
    const next = readNext(this.#stores.events, { id: endpoint.position_id, sequence: endpoint.position });
    const [pending, events] = await Promise.all([readPending(this.#stores, endpoint.id), next]);
    const waiting = { ...pending, ...events };
    const step = plan(this.#afterOutcomes(endpoint), waiting, Date.now(), (key) => this.#outcomes.has(key));
    if (this.#looksAgain && step.attempts.length === 0) {
      this.#looksAgain = false;
      await sleep(INDEX_MS);
      return false;
    }
    await this.#send(endpoint, step.attempts);
    return this.#commit(endpoint, waiting, step);
  }

  /** Sends in the order of the step, so that the events that were sent are the beginning of its events. */
  async #send(endpoint: WebhookEndpoint, attempts: readonly Attempt[]): Promise<void> {
    const queue = attempts.filter(({ key }) => !this.#outcomes.has(key));
    const events = await this.#stores.events.find(queue.flatMap(({ delivery }) => delivery?.event_id ?? []));
    const mayBegin = ({ isProbe, delivery }: Attempt) => {
      const after = this.#afterOutcomes(endpoint);
      const isHeldBack = isFailing(after) && !isProbe && !(delivery && isRequested(delivery));
      return after.status === 'enabled' && !isHeldBack && !this.#isOver();
    };
    const sendQueued = async () => {
      for (let i = queue.findIndex(mayBegin); i !== -1; i = queue.findIndex(mayBegin)) {
        const [attempt] = queue.splice(i, 1) as [Attempt];
        const at = this.#message.now();
        const answer = await send(endpoint, attempt, events, at, this.#message);
        this.#outcomes.set(attempt.key, { attempt, answer, at, endedAt: this.#message.now(), url: endpoint.url });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, sendQueued));
  }

  #afterOutcomes(endpoint: WebhookEndpoint): WebhookEndpoint {
    return [...this.#outcomes.values()].reduce(afterAnswer, endpoint);
  }

  /**
   * Commits a step: the endpoint, and the deliveries that were attempted. It fails if the endpoint has changed in between. The
   * turn ends when its time is over, or when nothing is due and nobody has noted that something has come up.
   * @returns whether the turn has ended
   */
  async #commit(endpoint: WebhookEndpoint, waiting: Waiting, { attempts, next }: Step): Promise<boolean> {
    const hasEnded = ({ key }: Attempt) => this.#outcomes.has(key);
    const unsent = attempts.find((one) => one.event && !hasEnded(one))?.event ?? next;
    const moved = { ...this.#afterOutcomes(endpoint), ...positionBefore(unsent, endpoint, waiting.events) };
    const ended = endedUntil(moved.position, [...this.#outcomes.values()], attempts);
    const hasEvents = waiting.hasMoreEvents || unsent !== undefined;
    const { webhookEndpoints, webhookDeliveries } = this.#stores;
    let [rows, after]: [readonly WebhookDelivery[], WebhookEndpoint] = [[], moved];
    const isDone = await this.#message.commit(() => {
      rows = rowsOf(endpoint, ended);
      const left = { ...waiting, rows, hasEvents, times: this.#times };
      after = this.#withTime(endpoint, moved, nextStepAt(moved, left, Date.now()));
      const fence: readonly (keyof WebhookEndpoint)[] = after.lease_until === 0 ? [...FENCE, 'is_noted'] : FENCE;
      return [
        // Only a disabling is a new version, and an event.
        ...(after.version === endpoint.version
          ? webhookEndpoints.move(endpoint, after, ['version', ...fence])
          : webhookEndpoints.replace(endpoint, after, fence)),
        ...rows.flatMap((row, i) => {
          const before = ended[i]?.attempt.delivery;
          return before ? webhookDeliveries.replace(before, row) : webhookDeliveries.insert(row);
        }),
      ];
    });
    this.#losses = isDone ? 0 : this.#losses + 1;
    if (!isDone) return false;
    this.#outcomes.clear();
    // A request has set both.
    if (endpoint.is_noted && Number(endpoint.due_at) <= Date.now()) this.#looksAgain = true;
    this.#times = [...this.#times, ...rows.flatMap(({ next_attempt_at: at }) => (at === null ? [] : Date.parse(at)))];
    this.#count(rows);
    if (after.version !== endpoint.version) this.#message.count('WebhookEndpointsDisabled');
    if (after.lease_until === 0) await this.#announce(after);
    return after.lease_until === 0;
  }

  /** The endpoint after a step: with the lease while more is due, otherwise with the time of the next step. */
  #withTime(endpoint: WebhookEndpoint, moved: WebhookEndpoint, at: number | undefined): WebhookEndpoint {
    const isDue = endpoint.is_noted || (at !== undefined && at <= Date.now());
    const read = { ...moved, is_noted: undefined };
    if (moved.status === 'disabled') return { ...read, lease_until: 0, due_at: undefined };
    return isDue && !this.#isOver() ? read : { ...read, lease_until: 0, due_at: isDue ? Date.now() : at };
  }

  #count(rows: readonly WebhookDelivery[]): void {
    for (const { status, error } of rows) {
      if (error) this.#message.count('DeliveryAttemptsFailed');
      if (status === 'succeeded') this.#message.count('DeliveriesSucceeded');
      if (status === 'failed') this.#message.count('DeliveriesFailed');
    }
  }

  /** Sends the message for the next step, unless the turn before has sent it or the reconciler will. */
  async #announce({ due_at }: WebhookEndpoint): Promise<void> {
    if (due_at === undefined) return;
    const { report, body, sendAgain } = this.#message;
    const delayMs = Math.max(0, due_at - Date.now());
    // The message of the turn before may have arrived early.
    if (delayMs > MAX_MESSAGE_DELAY_MS || (due_at === this.#due && delayMs > MAX_SKEW_MS)) return;
    await sendAgain(delayMs).catch((error) => report('message not sent', { ...body, error }));
  }
}
