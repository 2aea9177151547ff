import type { Write } from '#shared/platform/commit/write.ts';
import type { VersionedId } from '#shared/platform/entity.ts';
import type { OutgoingMessage } from '#shared/platform/queues/queues.ts';
import type { Page } from '#shared/platform/store/page.ts';

export interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/** A handler's decision: the response and the writes to commit before it is sent. */
export interface Reply {
  readonly status: 200 | 201 | 202 | 204 | 303;
  readonly member?: VersionedId;
  readonly page?: Page<VersionedId>;
  readonly location?: string;
  readonly retryAfterMs?: number;
  readonly writes: readonly Write[];
  readonly amount?: Amount | undefined;
  /** Sent to a worker after the commit; the reconciler replaces a lost message. */
  readonly message?: OutgoingMessage;
}

export const ok = <T extends VersionedId>(
  member: T,
  writes: readonly Write[] = [],
  message?: OutgoingMessage,
): Reply => ({
  status: 200,
  member,
  writes,
  ...(message && { message }),
});
export const created = <T extends VersionedId>(member: T, writes: readonly Write[], amount?: Amount): Reply => ({
  status: 201,
  member,
  writes,
  amount,
});
const POLL_MS = 2000;
/** @param delayMs time before which the worker does not start */
export const inProgress = (member: VersionedId, delayMs = 0): Reply => ({
  ...ok(member),
  retryAfterMs: Math.max(POLL_MS, delayMs),
});
export const accepted = (member: VersionedId, writes: readonly Write[], message: OutgoingMessage): Reply => ({
  ...inProgress(member, message.delayMs),
  status: 202,
  writes,
  message,
});
export const seeOther = (location: string): Reply => ({ status: 303, location, writes: [] });
export const noContent = (writes: readonly Write[], message?: OutgoingMessage): Reply => ({
  status: 204,
  writes,
  ...(message && { message }),
});
export const pageReply = (page: Page<VersionedId>): Reply => ({ status: 200, page, writes: [] });

export interface PublicReply {
  readonly status: 200 | 204 | 303 | 304;
  readonly content?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export const contentReply = (body: string | Buffer, headers: PublicReply['headers'] = {}): PublicReply => ({
  status: 200,
  content: body,
  headers,
});
export const jsonReply = (value: unknown, headers: PublicReply['headers'] = {}): PublicReply =>
  contentReply(JSON.stringify(value), { 'content-type': 'application/json', ...headers });
