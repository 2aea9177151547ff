import { isDeepStrictEqual } from 'node:util';
import { readableResources } from '#test/support/requests/requests.ts';
import type { Caller, Client } from '#test/support/service/client.ts';
import { makers } from '#test/support/service/makers.ts';

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

/** Reads every resource of an account, by type and id. */
export const readAccount = async (
  service: Reader,
  caller: Caller,
): Promise<Map<string, ResourceState & { text: string }>> => {
  const states = new Map<string, ResourceState & { text: string }>();
  for (const [type, { collection }] of SUBJECTS) {
    const rows = await makers(service, caller).list(`/v1/${collection}?limit=100&fields=id`);
    const found = rows.map(async ({ id }) => [id, await readResource(service, caller, type, id)] as const);
    for (const [id, state] of await Promise.all(found)) if (state) states.set(`${type} ${id}`, state);
  }
  return states;
};

/** The names of the v1 fields that differ, without `updated_at` (CONTRACT §14). */
export const differences = (before: ResourceState, after: ResourceState): string[] =>
  Object.keys({ ...before.body, ...after.body })
    .filter((name) => name !== 'updated_at' && !isDeepStrictEqual(before.body[name], after.body[name]))
    .sort();
