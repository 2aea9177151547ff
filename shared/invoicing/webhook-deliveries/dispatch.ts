import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { isSubscribed, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { readUntilVisible } from '#shared/platform/events/read-until.ts';
import { hasTime } from '#shared/platform/jobs/turns.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';
import { deliveryOf, type WebhookDelivery } from './rules.ts';

export const USES = { webhookEndpoints: ['list', 'move'], events: ['list'], webhookDeliveries: ['insert'] } as const;

type Stores = StoresOf<typeof USES>;

/** DynamoDB permits 100 actions in a transaction, and one moves the position. */
const MAX_EVENTS = 99;

const ALL = { style: 'cursor', limit: 100, after: undefined, order: 'ascending', filter: {} } as const;

/**
 * Turns the events of an account into deliveries, up to the sequence `end` (CONTRACT §15). Each transaction moves the
 * position of an endpoint and puts the deliveries of the events before it, so an event is neither lost nor dispatched
 * twice, regardless of how many dispatchers run.
 * @returns false when the time was over before the end was reached
 */
export const dispatchEvents = async (
  context: WorkerContext,
  stores: Stores,
  account_id: string,
  end: number,
): Promise<boolean> => {
  const { rows } = await stores.webhookEndpoints.list(ALL);
  const behind = (rows as readonly WebhookEndpoint[]).filter(
    ({ status, position }) => status === 'enabled' && position < end,
  );
  const groups = Map.groupBy(behind, ({ position }) => position);
  const dispatcher = new Dispatcher(context, stores, account_id);
  const advances = await Promise.all([...groups.values()].map((group) => dispatcher.advance(group, end)));
  return !advances.includes(false);
};

class Dispatcher {
  readonly #context: WorkerContext;
  readonly #stores: Stores;
  readonly #account: string;

  constructor(context: WorkerContext, stores: Stores, account: string) {
    this.#context = context;
    this.#stores = stores;
    this.#account = account;
  }

  /**
   * Dispatches to endpoints with the same position, at least once. It skips an endpoint that another dispatcher has
   * moved.
   */
  async advance(group: readonly WebhookEndpoint[], end: number): Promise<boolean> {
    let endpoints = group;
    for (let [first] = endpoints; first && first.position < end; [first] = endpoints) {
      if (endpoints !== group && !hasTime(this.#context)) return false;
      const events = await this.#readAfter(first);
      const movedEndpoints = await Promise.all(endpoints.map((endpoint) => this.#dispatch(endpoint, events)));
      endpoints = movedEndpoints.filter((endpoint) => endpoint !== undefined);
    }
    return true;
  }

  /** Reads the next events without a gap, because DynamoDB may show a transaction of the sequencer only in part. */
  async #readAfter({ position, position_id }: WebhookEndpoint): Promise<readonly EventRow[]> {
    return readUntilVisible(async () => {
      const { rows } = await this.#stores.events.list({ ...ALL, limit: MAX_EVENTS, after: position_id });
      const gap = rows.findIndex(({ sequence }, i) => sequence !== position + 1 + i);
      const events = (gap === -1 ? rows : rows.slice(0, gap)) as readonly EventRow[];
      return events.length > 0 ? events : undefined;
    });
  }

  /** @returns the endpoint at its new position; undefined when it has changed since it was read */
  async #dispatch(endpoint: WebhookEndpoint, events: readonly EventRow[]): Promise<WebhookEndpoint | undefined> {
    const { webhookEndpoints, webhookDeliveries } = this.#stores;
    const { id: position_id, sequence: position } = events.at(-1) as EventRow;
    const { since, is_started } = sinceCreation(endpoint, events);
    const wantedEvents = since.filter(({ type }) => isSubscribed(endpoint, type));
    const move = { position, position_id, is_started };
    let rows: readonly WebhookDelivery[] = [];
    const isDone = await this.#context.commit(() => {
      rows = this.#toDeliveries(endpoint, wantedEvents);
      return [
        ...webhookEndpoints.move(endpoint, move, ['position', 'rewound_at']),
        ...rows.flatMap((row) => webhookDeliveries.insert(row)),
      ];
    });
    if (!isDone) return undefined;
    await Promise.all(rows.map(({ id }) => this.#send(id)));
    return { ...endpoint, ...move };
  }

  #toDeliveries(endpoint: WebhookEndpoint, events: readonly EventRow[]): WebhookDelivery[] {
    const at = this.#context.now();
    const first = this.#context.newId();
    return events.map((event, i) => deliveryOf(endpoint, event, { id: first + i, at }));
  }

  /** If sending fails, the reconciler sends a message later. */
  async #send(webhook_delivery_id: number): Promise<void> {
    const message = { account_id: this.#account, webhook_delivery_id };
    const { send, report } = this.#context;
    await send('deliveries', message).catch((error) => report('message not sent', { ...message, error }));
  }
}

/** Selects the events after the creation of the endpoint, which is an event itself. */
const sinceCreation = (
  { id, is_started }: WebhookEndpoint,
  events: readonly EventRow[],
): { readonly since: readonly EventRow[]; readonly is_started: boolean } => {
  if (is_started) return { since: events, is_started };
  const creation = events.findIndex(
    ({ type, resource_id }) => type === 'webhook_endpoint.created' && resource_id === id,
  );
  return creation === -1 ? { since: [], is_started: false } : { since: events.slice(creation + 1), is_started: true };
};
