import { isDeepStrictEqual } from 'node:util';
import { readableResources } from '#test/support/requests/requests.ts';
import type { Caller, Client } from '#test/support/service/client.ts';

/** An event as v1 shows it. */
export interface FeedEvent {
  readonly id: number;
  readonly sequence: number;
  readonly type: string;
  readonly resource_type: string;
  readonly resource_id: number;
  readonly version: number;
  readonly changed: readonly string[];
  readonly actor: string | null;
  readonly request_id: string;
}

/** A resource as a GET returns it under v1, and its version by the ETag. */
export interface ResourceState {
  readonly body: Readonly<Record<string, unknown>>;
  readonly version: number;
}

type Reader = Pick<Client, 'send'>;

/** The resources whose changes are events, by their type. */
export const SUBJECTS = new Map(
  [...readableResources.values()].filter(({ events }) => events).map((resource) => [resource.type, resource]),
);

/** Follows the feed of an account from a cursor to its end. */
export const follow = async (
  service: Reader,
  caller: Caller,
  {
    after,
    limit = 100,
    parameters = '',
  }: { after?: string | null | undefined; limit?: number; parameters?: string } = {},
): Promise<{ events: FeedEvent[]; cursor: string | null }> => {
  const events: FeedEvent[] = [];
  for (let cursor = after ?? null; ; ) {
    const target = `/v1/events?limit=${limit}${parameters}${cursor ? `&after=${cursor}` : ''}`;
    const { status, json, text } = await service.send(target, { as: caller });
    if (status !== 200) throw new Error(text);
    events.push(...json.data);
    cursor = json.next_cursor;
    if (!json.has_more) return { events, cursor };
  }
};

/** Reads one resource; undefined if it does not exist. */
export const readResource = async (
  service: Reader,
  caller: Caller,
  type: string,
  id: number,
): Promise<(ResourceState & { readonly text: string }) | undefined> => {
  const { collection } = SUBJECTS.get(type) ?? {};
  if (!collection) throw new Error(`No endpoint reads a resource of the type ${type}.`);
  const { status, headers, json, text } = await service.send(`/v1/${collection}/${id}`, { as: caller });
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(text);
  return { body: json, text, version: Number(headers['etag']?.slice(1, -1)) };
};

/** The names of the v1 fields that differ, without `updated_at` (CONTRACT §14). */
export const differences = (before: ResourceState, after: ResourceState): string[] =>
  Object.keys({ ...before.body, ...after.body })
    .filter((name) => name !== 'updated_at' && !isDeepStrictEqual(before.body[name], after.body[name]))
    .sort();
