import type { Page } from '#shared/platform/data/page.ts';
import type { OutgoingMessage } from '#shared/platform/data/queues.ts';
import type { Write } from '#shared/platform/data/write.ts';
import type { VersionedId } from '#shared/platform/entity.ts';

/** What a handler decides: the answer, and the writes that make it true. */
export interface Reply {
  readonly status: 200 | 201 | 202 | 204 | 303;
  readonly member?: VersionedId;
  readonly page?: Page<VersionedId>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly writes: readonly Write[];
  /** What a worker is told once the writes are committed; one that is lost, the reconciler makes good. */
  readonly message?: OutgoingMessage;
}

export const ok = (member: VersionedId, writes: readonly Write[] = []): Reply => ({ status: 200, member, writes });
export const created = (member: VersionedId, writes: readonly Write[]): Reply => ({ status: 201, member, writes });
/** How soon a client may look again at what a worker does, in milliseconds. */
const POLL_MS = 2000;
const later = (delayMs: number) => ({ 'retry-after': String(Math.ceil(Math.max(POLL_MS, delayMs) / 1000)) });
/** A member that a worker has not finished, and does not start before so many milliseconds have passed. */
export const pending = (member: VersionedId, delayMs = 0): Reply => ({ ...ok(member), headers: later(delayMs) });
/** A member that a worker gets a message about. */
export const accepted = (member: VersionedId, writes: readonly Write[], message: OutgoingMessage): Reply => ({
  status: 202,
  member,
  headers: later(message.delayMs ?? 0),
  writes,
  message,
});
/** The answer is elsewhere, for a while, and for this client alone. */
export const seeOther = (location: string): Reply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store' },
  writes: [],
});
export const noContent = (writes: readonly Write[]): Reply => ({ status: 204, writes });
export const listed = (page: Page<VersionedId>): Reply => ({ status: 200, page, writes: [] });

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
