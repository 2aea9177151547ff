import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { HEALTHY, type Health } from '#shared/platform/webhooks/schedule.ts';
import type { FeedPosition } from './position.ts';

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

interface Secret {
  readonly value: string;
  /** The end of the validity of a replaced secret, in RFC 3339. */
  readonly valid_until?: string;
}

/** Who sends to the endpoint, and when somebody must (webhook-deliveries/pump.ts). Times are in epoch milliseconds. */
export interface PumpState {
  /** The end of the lease of a pump; 0 without one. */
  readonly lease_until: number;
  /** Something has come up since the pump last read: it must read once more before it releases the lease. */
  readonly is_noted?: true | undefined;
  /** When the endpoint has something to do; absent without it. */
  readonly due_at?: number | undefined;
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
  'is_noted',
  'due_at',
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
const restarted = (endpoint: WebhookEndpoint, at: string): WebhookEndpoint => ({
  ...endpoint,
  ...HEALTHY,
  due_at: endpoint.status === 'enabled' ? Date.parse(at) : undefined,
});

export const disable = (endpoint: WebhookEndpoint, reason: DisabledReason, at: string): WebhookEndpoint =>
  nextVersion(endpoint, { ...endpoint, status: 'disabled', disabled_reason: reason, due_at: undefined }, at);

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
