import { expect, test } from '@jest/globals';
import type { Outcome } from '#shared/invoicing/webhook-deliveries/outcome.ts';
import { type Attempt, MAX_DELIVERIES, nextStepAt, plan } from '#shared/invoicing/webhook-deliveries/plan.ts';
import * as rules from '#shared/invoicing/webhook-deliveries/rules.ts';
import { afterAnswer } from '#shared/invoicing/webhook-endpoints/health.ts';
import { positionBefore } from '#shared/invoicing/webhook-endpoints/position.ts';
import * as endpoints from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { isFailing } from '#shared/platform/webhooks/schedule.ts';
import { chances } from '#test/support/extent/seed.ts';
import fc from '#test/support/random/fast-check.ts';

type WebhookDelivery = rules.WebhookDelivery;
type WebhookEndpoint = endpoints.WebhookEndpoint;
const { isRequested, timeOf } = rules;

const toEvent = (sequence: number, type = 'invoice.paid') =>
  ({ id: sequence, sequence, type, resource_id: 7 }) as EventRow;
const toText = (ms: number) => new Date(ms).toISOString();
const NOW = Date.parse('2026-11-21T09:30:00.000Z');
const at = toText(NOW);
const TERMS = {
  url: 'https://receiver.test',
  description: null,
  event_types: ['invoice.paid'],
  status: 'enabled',
} as const;
const NEW = endpoints.createWebhookEndpoint(TERMS, 'whsec_1', { sequence: 0, last_id: 0 }, { id: 7, at });
const HEALTHY: WebhookEndpoint = { ...NEW, is_started: true };
const PROBE = { ...HEALTHY, failures: 5, failing_since: NOW - 1, probe_at: NOW };
const EARLY = { ...PROBE, probe_at: NOW + 1 };
const DISABLED = { ...HEALTHY, status: 'disabled' } as const;
const ENDPOINTS = { NEW, HEALTHY, PROBE, EARLY, DISABLED };

/** Expands `a1-3 b4` to `a1`, `a2`, `a3`, `b4`. */
const expand = (list: string): string[] =>
  [...list.matchAll(/(\w)(\d+)(?:-(\d+))?(\??)/g)].flatMap(([, kind, first, last = first, flag]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${kind}${Number(first) + i}${flag}`),
  );

const LATER = NOW + 60_000;
const TIMES = [LATER + 2, LATER + 1, Number.POSITIVE_INFINITY];
/** `d`: due, with an even number for 1 ms; `r`: requested, `l`: due later, by 1 ms more for each number; `s`: succeeded. */
const toDeliveries = (list: string) =>
  expand(list).map((one) => {
    const id = Number(one.slice(1));
    if (one[0] === 'r') return rules.testDelivery(HEALTHY, { actor: '', request_id: '' }, { id, at });
    const delivery = rules.deliveryOf(HEALTHY, toEvent(id), { id, at });
    if (one[0] === 's') return { ...delivery, status: 'succeeded', next_attempt_at: null, queued_at: null } as const;
    const next = one[0] === 'l' ? toText(LATER + id) : toText(NOW - 1 + (id % 2));
    return { ...delivery, next_attempt_at: next, queued_at: next };
  });
const TYPES = { e: 'invoice.paid', o: 'refund.created', c: 'webhook_endpoint.created' };
const toEvents = (list: string) =>
  expand(list).map((one) => toEvent(Number(one.slice(1)), TYPES[one[0] as keyof typeof TYPES]));

/** `d`: a delivery, `e`: an event that the endpoint subscribes to, `o`: another one, `c`: its creation, `?`: a probe. */
test.each<[keyof typeof ENDPOINTS, string, string, string, string, string, number]>([
  ['HEALTHY', 'only events: 20', '', 'e1-30', '', 'e1-20', 21],
  ['HEALTHY', 'a delivery that is due, and one that is not', 'd1 l2', '', '', 'd1', 0],
  ['HEALTHY', 'many of both: 10 of each', 'd1-10', 'e1-30', '', 'd1-10 e1-10', 11],
  ['HEALTHY', 'few deliveries: more events', 'd1-3', 'e1-30', '', 'd1-3 e1-17', 18],
  ['HEALTHY', 'a requested delivery: first', 'r2 d1', 'e1', '', 'd2 d1 e1', 0],
  ['HEALTHY', 'other types: skipped', '', 'o1 e2 o3 e4 o5', '', 'e2 e4', 0],
  ['NEW', 'events before its creation: skipped', '', 'e1 c2 e3', '', 'e3', 0],
  ['NEW', 'a creation that is not read yet: nothing', '', 'e1-2', '', '', 0],
  ['EARLY', 'before its probe: only what is requested', 'r2 d1', 'e1', '', 'd2', 1],
  ['PROBE', 'at its probe: the first event', 'd1', 'e1-2', '', 'e1?', 2],
  ['PROBE', 'at its probe, without events: the first delivery', 'd1-2', 'o1', '', 'd1?', 0],
  ['PROBE', 'at its probe: what is requested, too', 'r1-2 d3-4', '', '', 'd1-2 d3?', 0],
  ['DISABLED', 'nothing', 'r2 d1', 'e1-2', '', '', 1],
  ['HEALTHY', 'again: an ended event of a type that it no longer gets', '', 'o1 o2 e3', 'e1', 'e1 e3', 0],
  ['HEALTHY', 'again: the other 10 of 20', '', 'e1-25', 'e1-10', 'e1-20', 21],
  ['EARLY', 'again: all that has ended', 'r1 d2-4', 'e1-6', 'd1 d3-4 e1-4', 'd1 d3-4? e1-4?', 5],
  ['EARLY', 'again: every event has ended', '', 'e1-4', 'e1-4', 'e1-4?', 0],
  ['PROBE', 'again: no second probe', 'd1-2', 'e1-2', 'e1', 'e1?', 2],
  ['PROBE', 'again, without events: no second probe', 'd1-2', '', 'd1', 'd1?', 0],
  ['DISABLED', 'again: all that has ended', 'r1-2 d3-4', 'e1-2', 'd1 d3 e1', 'd1 d3 e1', 2],
])('a step, %s: %s [CONTRACT §15]', (name, _, deliveries, events, ended, expected, nextSequence) => {
  const waiting = { deliveries: toDeliveries(deliveries), events: toEvents(events) };
  const hasEnded = (key: string) => expand(ended).includes(key.replace('delivery ', 'd').replace('event ', 'e'));
  const { attempts, next } = plan(ENDPOINTS[name], waiting, NOW, hasEnded);
  const kinds = [attempts.filter(({ delivery }) => delivery), attempts.filter(({ event }) => event)].flat();
  const actual = kinds.map(({ delivery, event, isProbe }) => {
    const subject = delivery ? `d${delivery.id}` : `e${event.id}`;
    return `${subject}${isProbe ? '?' : ''}`;
  });
  expect([actual, next?.sequence ?? 0]).toEqual([expand(expected), nextSequence]);
});

test('a step: a delivery and an event by turns, so that a slow receiver gets both [CONTRACT §15]', () => {
  const waiting = { deliveries: toDeliveries('r1 d2-3'), events: toEvents('e1-2') };
  const { attempts } = plan(ENDPOINTS['HEALTHY'], waiting, NOW, () => false);
  expect(attempts.map(({ key }) => key)).toEqual(['delivery 1', 'event 1', 'delivery 2', 'event 2', 'delivery 3']);
});

test.each<
  [keyof typeof ENDPOINTS, string, string, string, { hasEvents?: boolean; times?: number[] }, number | 'never']
>([
  ['HEALTHY', 'nothing waits: never', '', '', {}, 'never'],
  ['HEALTHY', 'all deliveries have ended: never', 'd1-2', 's1-2', {}, 'never'],
  ['HEALTHY', 'events wait: now', 'l1', '', { hasEvents: true }, NOW],
  ['HEALTHY', 'a due delivery is left: now', 'd1-2', 'l1', {}, NOW],
  ['HEALTHY', 'later deliveries are left: at the earliest', 'l3-4', '', {}, LATER + 3],
  ['HEALTHY', 'deliveries are stored: at the earliest next attempt', 'd1-2', 'l1-2', {}, LATER + 1],
  ['HEALTHY', 'a delivery is stored that is due by now: now', 'd1', 'd1', {}, NOW],
  ['HEALTHY', 'deliveries that were not read: at the earliest', 'l3', '', { times: TIMES }, LATER + 1],
  ['HEALTHY', 'a full page has ended: now', 'd1-10', 's1-10', {}, NOW],
  ['HEALTHY', 'a full page of later deliveries is left: at the earliest', 'l1-10', '', {}, LATER + 1],
  ['EARLY', 'nothing waits: never', '', '', {}, 'never'],
  ['EARLY', 'events wait: at its probe', '', '', { hasEvents: true }, NOW + 1],
  ['EARLY', 'a due delivery is left: at its probe', 'd1', '', {}, NOW + 1],
  ['EARLY', 'a later delivery is left: when it is due', 'l1', '', {}, LATER + 1],
  ['EARLY', 'a requested delivery is left: now', 'r1-2', 's1', {}, NOW],
  ['EARLY', 'a full page of requested deliveries has ended: now', 'r1-10', 's1-10', {}, NOW],
  ['DISABLED', 'never', 'r1 d2', '', { hasEvents: true, times: [LATER] }, 'never'],
])('the next step, %s: %s [CONTRACT §15]', (name, _, deliveries, rows, left, expected) => {
  const read = { deliveries: toDeliveries(deliveries), rows: toDeliveries(rows), hasEvents: false, times: [], ...left };
  const hasMoreDeliveries = read.deliveries.length === MAX_DELIVERIES;
  expect(nextStepAt(ENDPOINTS[name], { ...read, hasMoreDeliveries }, NOW) ?? 'never').toBe(expected);
});

/** Pumps an endpoint without a database, and checks each step. */
class Simulation {
  readonly #chance: () => number;
  readonly #feed = [toEvent(1), toEvent(2, 'webhook_endpoint.created')];
  readonly #rows = new Map<number, WebhookDelivery>();
  #endpoint = NEW;
  #now = NOW;
  #nextAt: number | undefined = NOW;
  #lastProbe = { subject: 0, due: [] as readonly number[] };

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  addEvents(count: number): void {
    const toType = () => (this.#chance() < 0.7 ? 'invoice.paid' : 'refund.created');
    for (let i = 0; i < count; i++) this.#feed.push(toEvent(this.#feed.length + 1, toType()));
    this.#nextAt = Math.min(this.#nextAt ?? this.#now, Math.max(this.#now, this.#endpoint.probe_at));
  }

  request(count: number): void {
    for (let i = 0; i < count; i++) {
      const id = this.#rows.size + 1;
      this.#rows.set(id, rules.testDelivery(NEW, { actor: '', request_id: '' }, { id, at: toText(this.#now) }));
    }
    this.#nextAt = this.#now;
  }

  enable(): void {
    this.#endpoint = endpoints.patchWebhookEndpoint(this.#endpoint, { status: 'enabled' }, toText(this.#now));
    this.#nextAt = this.#now;
  }

  waiting() {
    const [place, now] = [Math.max(this.#endpoint.position, 2), this.#now];
    const isPending = ({ status }: WebhookDelivery) => status === 'pending';
    const isBefore = (a: WebhookDelivery, b: WebhookDelivery) => (a.queued_at ?? '') < (b.queued_at ?? '');
    const pending = [...this.#rows.values()].filter(isPending).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    const events = this.#feed.filter(({ id, type }) => id > place && type === 'invoice.paid').map(({ id }) => id);
    const due = pending.filter((one) => !isRequested(one) && timeOf(one) <= now).map(({ id }) => id);
    return { events, due, pending };
  }

  /** @param cut the chance that the turn is over before an attempt, and that the step is planned again */
  step(receive: () => number, cut: number): void {
    this.#now = Math.max(this.#now, this.#nextAt ?? 0);
    const [before, chance] = [this.#endpoint, this.#chance];
    const { pending } = this.waiting();
    const deliveries = pending.slice(0, MAX_DELIVERIES);
    const hasMoreDeliveries = pending.length > MAX_DELIVERIES;
    const events = this.#feed.slice(before.position, before.position + 30);
    const outcomes = new Map<string, Outcome>();
    const hasEnded = ({ key }: Attempt) => outcomes.has(key);
    const afterOutcomes = () => [...outcomes.values()].reduce((after, one) => afterAnswer(after, one), before);
    const send = (attempt: Attempt) => {
      const after = afterOutcomes();
      const mayBegin = after.status === 'enabled' && (!isFailing(after) || attempt.isProbe || wasRequested(attempt));
      if (hasEnded(attempt) || !mayBegin || chance() < cut) return hasEnded(attempt);
      if (attempt.isProbe) this.#lastProbe = this.#toProbe(attempt);
      const status = receive();
      const error = status < 300 ? null : ({ code: 'unexpected-status', detail: '' } as const);
      const [answer, begin] = [{ status, body: '', error, retryAfterMs: undefined }, this.#now];
      this.#now += Math.floor(chance() * 15_000);
      const times = { at: toText(begin), endedAt: toText(this.#now) };
      return outcomes.set(attempt.key, { attempt, answer, ...times, url: before.url });
    };
    const next = () => {
      const step = plan(afterOutcomes(), { deliveries, events }, this.#now, (key) => outcomes.has(key));
      this.#check(
        afterOutcomes(),
        step.attempts.filter((one) => !hasEnded(one)),
      );
      step.attempts.every(send);
      return step;
    };
    let step = next();
    while (chance() < cut) step = next();

    const ended = step.attempts.filter(hasEnded);
    expect(ended.length).toBe(outcomes.size);
    const rows = ended.map(({ key, delivery, event }) => {
      const outcome = outcomes.get(key) as Outcome;
      const id = this.#rows.size + 1e6 * (event?.id ?? 0);
      return rules.afterAttempt(delivery ?? rules.deliveryOf(before, event, { id, at }), outcome, chance());
    });
    for (const row of rows) this.#rows.set(row.id, row);
    const unsent = step.attempts.find((one) => one.event && !hasEnded(one))?.event ?? step.next;
    this.#endpoint = { ...afterOutcomes(), ...positionBefore(unsent, before, events) };
    const hasEvents = unsent !== undefined || this.#feed.length > this.#endpoint.position;
    this.#nextAt = nextStepAt(this.#endpoint, { deliveries, hasMoreDeliveries, rows, hasEvents, times: [] }, this.#now);
    this.#checkTime();
  }

  #check(endpoint: WebhookEndpoint, planned: readonly Attempt[]): void {
    if (endpoint.status === 'disabled') expect(planned).toEqual([]);
    if (endpoint.status === 'disabled' || !isFailing(endpoint)) return;
    const [probe, ...others] = planned.filter((one) => !wasRequested(one));
    if (!probe) return;
    const { subject, due } = this.#toProbe(probe);
    expect({
      others,
      isEarly: this.#now < endpoint.probe_at,
      isRepeated: subject === this.#lastProbe.subject && due.some((id) => this.#lastProbe.due.includes(id)),
      skipsEvents: probe.delivery !== undefined && this.waiting().events.length > 0,
    }).toEqual({ others: [], isEarly: false, isRepeated: false, skipsEvents: false });
  }

  /** What is probed, and the other deliveries that are due. */
  #toProbe({ delivery, event }: Attempt) {
    const subject = event?.id ?? delivery?.event_id ?? -(delivery?.id ?? 0);
    return { subject, due: this.waiting().due.filter((id) => id !== delivery?.id) };
  }

  /** The next step is not later than something that could be attempted. */
  #checkTime(): void {
    const [{ events, pending }, { status, probe_at }] = [this.waiting(), this.#endpoint];
    if (status === 'disabled') expect(this.#nextAt).toBe(undefined);
    if (status === 'disabled') return;
    const permitted = Math.max(this.#now, pending.some(isRequested) ? 0 : probe_at);
    const earliest = Math.min(...pending.map(timeOf), events.length > 0 ? 0 : Number.POSITIVE_INFINITY);
    expect(this.#nextAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(Math.max(permitted, earliest));
  }
}
const wasRequested = ({ delivery }: Attempt) => delivery !== undefined && isRequested(delivery);

/** The receiver fails with a chance that changes; events and requests arrive, and a disabled endpoint is enabled again. */
const runWithFailures = (seed: number) => {
  const chance = chances(seed);
  const pump = new Simulation(chance);
  for (let i = 0, rate = 0; i < 60; i++) {
    if (i % 10 === 0) rate = [0, 0.3, 0.9, 1][Math.floor(chance() * 4)] as number;
    if (chance() < 0.3) pump.addEvents(Math.floor(chance() * 40));
    if (chance() < 0.1) pump.request(Math.floor(chance() * 14));
    if (chance() < 0.1) pump.enable();
    pump.step(() => (chance() < rate ? (chance() < 0.01 ? 410 : 500) : 204), 0.02);
  }
  return pump;
};

test('failing: one probe at a time, never before its time, not twice the same; disabled: nothing [CONTRACT §15]', () => {
  fc.assert(fc.property(fc.nat(), (seed) => void runWithFailures(seed)));
});

test('a receiver that works again: nothing that waits starves, even while events arrive [CONTRACT §15]', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 10 }), (seed, arrivals) => {
      const pump = runWithFailures(seed);
      pump.enable();
      const { events, due } = pump.waiting();
      for (let steps = 2 + Math.ceil((events.length + due.length) / 10); steps > 0; steps--) {
        pump.step(() => 204, 0);
        pump.addEvents(arrivals);
      }
      const after = pump.waiting();
      expect([events.filter((id) => after.events.includes(id)), due.filter((id) => after.due.includes(id))]).toEqual([
        [],
        [],
      ]);
      for (let steps = 2 + after.pending.length + after.events.length; steps > 0; steps--) pump.step(() => 204, 0);
      expect(pump.waiting()).toEqual({ events: [], due: [], pending: [] });
    }),
  );
});
