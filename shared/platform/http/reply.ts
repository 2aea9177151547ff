import type { Page } from '#shared/platform/data/page.ts';
import type { OutgoingMessage } from '#shared/platform/data/queues.ts';
import type { Write } from '#shared/platform/data/write.ts';
import type { VersionedId } from '#shared/platform/entity.ts';

/** An amount in minor units. */
export interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/** What a handler decides: the response, and the writes that make it true. */
export interface Reply {
  readonly status: 200 | 201 | 202 | 204 | 303;
  readonly member?: VersionedId;
  readonly page?: Page<VersionedId>;
  /** Where a 303 leads. */
  readonly location?: string;
  /** How soon a client may read an unfinished member again, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly writes: readonly Write[];
  /** Added to the endpoint's metric once the writes are committed. */
  readonly amount?: Amount | undefined;
  /** Sent to a worker once the writes are committed; the reconciler replaces a lost message. */
  readonly message?: OutgoingMessage;
}

export const ok = (member: VersionedId, writes: readonly Write[] = []): Reply => ({ status: 200, member, writes });
/** @param amount what the endpoint's metric counts */
export const created = (member: VersionedId, writes: readonly Write[], amount?: Amount): Reply => ({
  status: 201,
  member,
  writes,
  amount,
});
const POLL_MS = 2000;
/** A member that a worker has not finished, and does not start before so many milliseconds have passed. */
export const inProgress = (member: VersionedId, delayMs = 0): Reply => ({
  ...ok(member),
  retryAfterMs: Math.max(POLL_MS, delayMs),
});
/** A member that a worker gets a message about. */
export const accepted = (member: VersionedId, writes: readonly Write[], message: OutgoingMessage): Reply => ({
  ...inProgress(member, message.delayMs),
  status: 202,
  writes,
  message,
});
/** Redirects this client to a temporary URL. */
export const seeOther = (location: string): Reply => ({ status: 303, location, writes: [] });
export const noContent = (writes: readonly Write[]): Reply => ({ status: 204, writes });
export const pageReply = (page: Page<VersionedId>): Reply => ({ status: 200, page, writes: [] });

/** What a public endpoint answers: no resource, and nothing is written. */
export interface PublicReply {
  readonly status: 200 | 204 | 303 | 304;
  /** Text, or bytes of any kind. */
  readonly content?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export const content = (body: string | Buffer, headers: PublicReply['headers'] = {}): PublicReply => ({
  status: 200,
  content: body,
  headers,
});
export const document = (value: unknown, headers: PublicReply['headers'] = {}): PublicReply =>
  content(JSON.stringify(value), { 'content-type': 'application/json', ...headers });
