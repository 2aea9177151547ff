import { setTimeout as sleep } from 'node:timers/promises';
import { beginTurn } from '#shared/platform/jobs/turns.ts';
import { INDEX_MS, readPending } from './pending.ts';
import { cancel } from './rules.ts';
import { type Message, type PumpStores, TURN_MS, Turn } from './turn.ts';

/** Longer than a turn with its last attempts and its last commit. */
const LEASE_MS = 60_000;
/** Tries to begin while others change the endpoint, before the message is sent again. */
const MAX_TRIES = 3;
const PAUSE_MS = 1000;

/**
 * Sends what waits for an endpoint (CONTRACT §15). Only the pump that has the lease of the endpoint sends; another one notes
 * that something has come up, and ends. For a deleted endpoint, its deliveries are canceled.
 */
export const pump = async (message: Message, stores: PumpStores): Promise<void> => {
  const { webhook_endpoint_id: id } = message.body;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const endpoint = (await stores.webhookEndpoints.find([id])).get(id);
    if (!endpoint) return cancelPending(message, stores);
    if (endpoint.status === 'disabled') return;
    const { lease_until, is_noted, due_at } = endpoint;
    const isHeld = lease_until > Date.now();
    if (isHeld && is_noted) return;
    const claim = isHeld
      ? // If the pump that has the lease is lost, the reconciler wakes the endpoint after it.
        { lease_until, is_noted: true as const, due_at: due_at ?? lease_until }
      : { lease_until: Date.now() + LEASE_MS, is_noted: undefined, due_at };
    if (!(await message.commit(() => stores.webhookEndpoints.move(endpoint, claim, ['version', 'lease_until']))))
      continue;
    if (isHeld || (await new Turn(message, stores, due_at).run({ ...endpoint, ...claim }))) return;
  }
  await message.sendAgain(PAUSE_MS);
};

const cancelPending = async (message: Message, stores: PumpStores): Promise<void> => {
  const isOver = beginTurn(message, TURN_MS);
  const { commit, now, body } = message;
  for (let isLast = false; !isOver(); ) {
    const { deliveries: rows } = await readPending(stores, body.webhook_endpoint_id);
    if (rows.length === 0 && isLast) return;
    isLast = rows.length === 0;
    if (isLast) await sleep(INDEX_MS);
    await Promise.all(rows.map((row) => commit(() => stores.webhookDeliveries.replace(row, cancel(row, now())))));
  }
  await message.sendAgain(0);
};
