/** The outcome of one request. `status` and `body` are null if no response arrived, and `error` is null for 2xx. */
export interface Answer {
  /** 100…999. */
  readonly status: number | null;
  /** The first 1,000 characters, without U+0000, so that every database can store it. */
  readonly body: string | null;
  /** From `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly error: DeliveryError | null;
}

export interface DeliveryError {
  readonly code:
    | 'timeout'
    | 'address-not-allowed'
    | 'name-not-resolved'
    | 'connection-failed'
    | 'tls-failed'
    | 'redirect'
    | 'unexpected-status';
  /** A sentence for the owner of the receiver. It has no resolved address, and only codes of system errors. */
  readonly detail: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses before the second and each later attempt (CONTRACT §15). */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** The part by which a pause may differ at random, so that deliveries of one moment are not retried at one moment. */
const JITTER = 0.2;

/**
 * The pause after the given number of attempts; undefined after the last attempt.
 * @param random in 0…1
 */
export const pauseAfter = (attempts: number, random: number, retryAfterMs?: number): number | undefined => {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, pause), 2 * pause);
  return Math.round(pause * (1 - JITTER + 2 * JITTER * random));
};

/** The results of the last attempts at a receiver. Times are in epoch milliseconds. */
export interface Health {
  /** Failures since the last success. */
  readonly failures: number;
  /** The time of the first consecutive failure; 0 without a failure. */
  readonly failing_since: number;
  /** Probes since the receiver counts as failing. */
  readonly probes: number;
  /** The time of the next probe; 0 while the receiver does not count as failing. */
  readonly probe_at: number;
}

export const HEALTHY: Health = { failures: 0, failing_since: 0, probes: 0, probe_at: 0 };

/** A receiver with this number of failures in a row gets only probes (CONTRACT §15). */
const MAX_FAILURES = 5;
/** A receiver that fails for this time without a success counts as given up (`isGivenUp`). */
const MAX_FAILING_MS = 120 * HOUR_MS;

/** The pause before the first probe equals the pause before the third attempt. */
const probePause = (probes: number): number => PAUSES_MS[Math.min(1 + probes, PAUSES_MS.length - 1)] as number;

export const isFailing = ({ probe_at }: Pick<Health, 'probe_at'>): boolean => probe_at > 0;

/** While the receiver counts as failing, only probes count: each probe leads to the next step of the schedule. */
export const afterFailure = (health: Health, at: number, isProbe: boolean): Health => {
  const wasFailing = isFailing(health);
  if (wasFailing && !isProbe) return health;
  const failures = health.failures + 1;
  const failing_since = health.failing_since || at;
  const probes = wasFailing ? health.probes + 1 : 0;
  return { failures, failing_since, probes, probe_at: failures < MAX_FAILURES ? 0 : at + probePause(probes) };
};

export const isGivenUp = ({ failing_since }: Health, at: number): boolean =>
  failing_since > 0 && at - failing_since >= MAX_FAILING_MS;
