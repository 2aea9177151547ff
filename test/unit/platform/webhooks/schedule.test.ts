import { describe, expect, test } from '@jest/globals';
import {
  afterFailure,
  HEALTHY,
  type Health,
  isFailing,
  isGivenUp,
  pauseAfter,
} from '#shared/platform/webhooks/schedule.ts';
import fc from '#test/support/random/fast-check.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Written from the contract. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

const random = fc.double({ min: 0, max: 1, noNaN: true });
const attempts = fc.integer({ min: 1, max: 12 });

describe('pauses', () => {
  test('after each attempt: the pause of the contract ± 20 %; none after the tenth [CONTRACT §15]', () => {
    fc.assert(
      fc.property(attempts, random, (attempt, at) => {
        const pause = PAUSES[attempt - 1];
        const actual = pauseAfter(attempt, at);
        if (pause === undefined) return expect(actual).toBeUndefined();
        expect(actual).toBeGreaterThanOrEqual(0.8 * pause);
        expect(actual).toBeLessThanOrEqual(1.2 * pause);
      }),
    );
    expect(PAUSES.map((_, i) => [pauseAfter(i + 1, 0), pauseAfter(i + 1, 1)])).toEqual(
      PAUSES.map((pause) => [0.8 * pause, 1.2 * pause]),
    );
  });

  test('Retry-After: the pause itself, without jitter, clamped to 1–2 times the pause [CONTRACT §15]', () => {
    fc.assert(
      fc.property(attempts, random, fc.nat(100 * HOUR), (attempt, at, retryAfter) => {
        const pause = PAUSES[attempt - 1];
        const expected = pause === undefined ? undefined : Math.min(Math.max(retryAfter, pause), 2 * pause);
        expect(pauseAfter(attempt, at, retryAfter)).toBe(expected);
      }),
    );
  });
});

/** A delivery that is due after this pause, and whether an attempt succeeds. */
interface Step {
  readonly after: number;
  readonly succeeds: boolean;
}

interface Run {
  /** The times of the calls, and whether they succeeded. */
  readonly calls: { at: number; succeeds: boolean }[];
  readonly health: Health;
  readonly at: number;
  readonly isGivenUp: boolean;
}

/** Makes a delivery due after each pause. While the receiver counts as failing, only probes are sent. */
const simulate = (steps: readonly Step[]): Run => {
  const calls: { at: number; succeeds: boolean }[] = [];
  let health = HEALTHY;
  let at = 1_800_000_000_000;
  for (const { after, succeeds } of steps) {
    at += after;
    const isProbe = isFailing(health);
    if (health.probe_at > at) continue;
    calls.push({ at, succeeds });
    health = succeeds ? HEALTHY : afterFailure(health, at, isProbe);
    if (isGivenUp(health, at)) return { calls, health, at, isGivenUp: true };
  }
  return { calls, health, at, isGivenUp: false };
};

const stepsOf = (weightOfSuccess: number) =>
  fc.array(
    fc.record({
      after: fc.oneof(fc.nat(10 * SECOND), fc.nat(10 * MINUTE), fc.nat(10 * HOUR)),
      succeeds: fc.integer({ min: 1, max: 100 }).map((n) => n <= weightOfSuccess),
    }),
    { maxLength: 400 },
  );

/** Failures in a row before index `i`. */
const failuresBefore = (calls: Run['calls'], i: number): number => {
  const last = calls.slice(0, i).findLastIndex(({ succeeds }) => succeeds);
  return i - 1 - last;
};

describe('the health of a receiver', () => {
  test('from the fifth failure in a row on: a probe only after each pause of the schedule [CONTRACT §15]', () => {
    fc.assert(
      fc.property(stepsOf(10), (steps) => {
        const { calls } = simulate(steps);
        for (const [i, { at }] of calls.entries()) {
          const failures = failuresBefore(calls, i);
          if (failures < 5) continue;
          const pause = PAUSES[Math.min(failures - 4, PAUSES.length - 1)] as number;
          const previous = calls[i - 1] as { at: number };
          expect([failures, at - previous.at >= pause]).toEqual([failures, true]);
        }
      }),
    );
  });

  test('a success: the receiver is healthy; the sender gives up only after 120 h of failures [CONTRACT §15]', () => {
    fc.assert(
      fc.property(stepsOf(15), (steps) => {
        const { calls, health, at, isGivenUp: isOver } = simulate(steps);
        const last = calls.findLastIndex(({ succeeds }) => succeeds);
        const since = calls[last + 1]?.at ?? 0;
        expect(health.failures).toBe(calls.length - 1 - last);
        expect(health.failing_since).toBe(since);
        if (health.failures === 0) expect(health).toEqual(HEALTHY);
        expect(isFailing(health)).toBe(health.failures >= 5);
        if (health.failures > 0) expect(isOver).toBe((calls.at(-1)?.at ?? at) - since >= 120 * HOUR);
      }),
    );
  });
});
