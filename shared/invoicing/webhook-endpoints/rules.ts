import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { HEALTHY, type Health } from '#shared/platform/webhooks/schedule.ts';

/** Subscribes to events of every type. */
export const ALL_TYPES = '*';

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
/** `gone`: the endpoint answered 410. `failing`: it failed for too long. `requested`: a request disabled it. */
export const DISABLED_REASONS = ['gone', 'failing', 'requested'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The writable fields of a webhook endpoint (CONTRACT §15). */
export interface WebhookEndpointTerms {
  url: string;
  description: string | null;
  event_types: readonly string[];
  status: (typeof ENDPOINT_STATUSES)[number];
}

/** The last event of the feed that was sent or skipped, by its sequence and its id. */
export interface FeedPosition {
  readonly position: number;
  readonly position_id: number;
  /** Whether the feed was read up to the creation of the endpoint, before which it gets no events. */
  readonly is_started: boolean;
}

interface Secret {
  readonly value: string;
  /** The end of the validity of a replaced secret, in RFC 3339. */
  readonly valid_until?: string;
}

/** The state of the pump that sends the events of an endpoint (webhook-deliveries/pump.ts). Times are in epoch milliseconds. */
export interface PumpState {
  /** The end of the lease of a pump; 0 without one. */
  readonly lease_until: number;
  /**
   * When the reconciler wakes the endpoint; absent if nothing is left to do. During a lease: somebody has tried to wake it,
   * and the pump reads the feed once more.
   */
  readonly due_at?: number | undefined;
  /**
   * The id after which the pump attempts deliveries that wait; absent if it attempts none of them. 0 after a recovery: a
   * batch of events comes first.
   */
  readonly resume_after?: number | undefined;
}

/** A change of the position, of the health or of the pump does not increment the version. */
export interface WebhookEndpoint extends WebhookEndpointTerms, Entity, FeedPosition, Health, PumpState {
  /**
   * The time of the last rewind, in epoch milliseconds; 0 before the first rewind. After a rewind, the position can
   * have an earlier value again.
   */
  readonly rewound_at: number;
  readonly disabled_reason: DisabledReason | null;
  /** The current secret, then the secrets that it has replaced. */
  readonly secrets: readonly Secret[];
}

/** The stored attributes that are not fields. */
export const HIDDEN = [
  'secrets',
  'position',
  'position_id',
  'is_started',
  'rewound_at',
  'failures',
  'failing_since',
  'probes',
  'probe_at',
  'lease_until',
  'due_at',
  'resume_after',
] as const satisfies readonly (keyof WebhookEndpoint)[];

/** Limit of webhook endpoints per account (CONTRACT §15). */
export const MAX_WEBHOOK_ENDPOINTS = 20;

export const TOO_MANY_WEBHOOK_ENDPOINTS = {
  code: 'too-many-webhook-endpoints',
  detail: `The account has ${MAX_WEBHOOK_ENDPOINTS} webhook endpoints, which is the maximum.`,
} as const;

/** @param head the end of the feed, which the creation of the endpoint follows */
export const createWebhookEndpoint = (
  terms: WebhookEndpointTerms,
  secret: string,
  head: { readonly sequence: number; readonly last_id: number },
  creation: Creation,
): WebhookEndpoint =>
  createEntity(
    {
      ...terms,
      disabled_reason: terms.status === 'disabled' ? 'requested' : null,
      secrets: [{ value: secret }],
      position: head.sequence,
      position_id: head.last_id,
      is_started: false,
      rewound_at: 0,
      lease_until: 0,
      ...HEALTHY,
    },
    creation,
  );

export const patchWebhookEndpoint = (
  endpoint: WebhookEndpoint,
  patch: MergePatch<WebhookEndpointTerms>,
  at: string,
): WebhookEndpoint => {
  const patched = applyMergePatch(endpoint, patch);
  const after = patched.url === endpoint.url ? patched : restarted(patched, at);
  if (after.status === endpoint.status) return nextVersion(endpoint, after, at);
  return after.status === 'disabled'
    ? disable(after, 'requested', at)
    : nextVersion(endpoint, { ...restarted(after, at), disabled_reason: null }, at);
};

/** An endpoint that may work now: its deliveries and its events no longer wait. */
export const restarted = (endpoint: WebhookEndpoint, at: string): WebhookEndpoint => ({
  ...endpoint,
  ...HEALTHY,
  ...(endpoint.status === 'enabled' && { resume_after: 0, due_at: wakeAt(at) }),
});

/**
 * The attributes outside of the version that must still equal `before`. A pump may have moved `resume_after` on from 0, and
 * an update from 0 to 0 does not write it.
 */
export const fenceOf = (before: WebhookEndpoint, after: WebhookEndpoint): readonly (keyof WebhookEndpoint)[] =>
  before.resume_after === 0 && after.resume_after === 0 ? ['failures', 'resume_after'] : ['failures'];

/** If no pump starts within this time after a message, the message counts as lost. */
export const GRACE_MS = 60_000;

/** The `due_at` with a message that wakes an endpoint: if the message is lost, the reconciler sends another one. */
export const wakeAt = (at: string): number => Date.parse(at) + GRACE_MS;

export const disable = (endpoint: WebhookEndpoint, reason: DisabledReason, at: string): WebhookEndpoint =>
  nextVersion(endpoint, { ...endpoint, status: 'disabled', disabled_reason: reason, due_at: undefined }, at);

/** Each rewind can send a whole feed again, to an address whose owner may not know of it. */
const REWIND_PAUSE_MS = 60_000;

/** @throws ProblemError `too-many-rewinds` within a minute of the last rewind */
export const checkRewindPause = ({ rewound_at }: Pick<WebhookEndpoint, 'rewound_at'>, at: string): void => {
  const pauseMs = rewound_at + REWIND_PAUSE_MS - Date.parse(at);
  if (pauseMs <= 0) return;
  const retryAfter = Math.ceil(pauseMs / 1000);
  throw new ProblemError('too-many-rewinds', { detail: `It can be rewound again in ${retryAfter} s.`, retryAfter });
};

/**
 * Returns the position after the event with this sequence. An endpoint that is not beyond it keeps its position. One that has
 * not started yet would skip the events up to its creation, which may be among those that are asked for: it starts at once,
 * and may get some events before them, too.
 * @param head the last sequence of the feed
 * @param event the event with this sequence, as it was read; absent for the beginning of the feed
 * @throws ProblemError `unavailable` if another event was read: from a wrong position, the pump could not continue
 */
export const rewind = (
  { position, position_id, is_started }: FeedPosition,
  { sequence, head }: { readonly sequence: number; readonly head: number },
  event: { readonly id: number; readonly sequence: number } = { id: 0, sequence: 0 },
): FeedPosition => {
  if (sequence >= position) return { position, position_id, is_started: is_started || sequence <= head };
  if (event.sequence === sequence) return { position: sequence, position_id: event.id, is_started: true };
  throw new ProblemError('unavailable', { detail: 'Some events are not readable yet.' });
};

/** How long a replaced secret also signs (CONTRACT §15). */
const OVERLAP_MS = 24 * 3_600_000;
/** More secrets would make the signature header too long for some servers. */
const MAX_SECRETS = 10;

export const rotateSecret = (endpoint: WebhookEndpoint, value: string, at: string): WebhookEndpoint => {
  const [current, ...replaced] = endpoint.secrets.filter((secret) => isValid(secret, at));
  const valid_until = new Date(Date.parse(at) + OVERLAP_MS).toISOString();
  const secrets = [{ value }, { ...(current as Secret), valid_until }, ...replaced].slice(0, MAX_SECRETS);
  return nextVersion(endpoint, { ...endpoint, secrets }, at);
};

const isValid = ({ valid_until }: Secret, at: string): boolean => valid_until === undefined || valid_until > at;

/** The secrets that sign a delivery. */
export const validSecrets = ({ secrets }: WebhookEndpoint, at: string): string[] =>
  secrets.filter((secret) => isValid(secret, at)).map(({ value }) => value);

export const currentSecret = ({ secrets }: Pick<WebhookEndpoint, 'secrets'>): string | undefined => secrets[0]?.value;

export const isSubscribed = ({ event_types }: WebhookEndpoint, type: string): boolean =>
  event_types.includes(ALL_TYPES) || event_types.includes(type);
