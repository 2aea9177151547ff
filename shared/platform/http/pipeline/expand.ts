import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '#shared/platform/data/store.ts';
import type { Input } from '#shared/platform/endpoint.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import type { Selection } from '#shared/platform/http/request/field-selection.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import type { Product } from '#shared/platform/product.ts';
import { type Relation, type Resource, relatedTo, serialize } from '#shared/platform/resource.ts';
import type { Version } from '#shared/platform/wire/version.ts';

export interface LoadedReply {
  readonly resource: Resource;
  readonly rows: readonly VersionedId[];
  readonly embed: EmbedRelations;
}

type Row = Readonly<Record<string, unknown>>;
type Related = { readonly name: string; readonly body: unknown; readonly version: number };

/** The related resources of a row, serialized; the body is null where there is none. */
export type EmbedRelations = (row: VersionedId) => readonly Related[];

interface Loading {
  readonly stores: Product['stores'];
  readonly version: Version;
  readonly requireScope: Input['requireScope'];
}

export const loadRelated = async (
  resource: Resource,
  { page, member }: Reply,
  { expand }: Selection,
  loading: Loading,
): Promise<LoadedReply> => {
  const rows = page?.rows ?? (member ? [member] : []);
  const embedders = await Promise.all(
    expand.map((name) => loadRelation(name, resource.relations[name] as Relation, rows, loading)),
  );
  return { resource, rows, embed: (row) => embedders.map((embed) => embed(row)) };
};

/** One round trip for each related table (§4 Partial responses 2). */
const loadRelation = async (
  name: string,
  relation: Relation,
  rows: readonly VersionedId[],
  { stores, version, requireScope }: Loading,
): Promise<(row: VersionedId) => Related> => {
  const idOf = (row: Row) => row[relation.via] as number | null;
  const byResource = Map.groupBy(
    rows.filter((row) => idOf(row) !== null),
    (row) => relatedTo(relation, row),
  );
  for (const resource of byResource.keys()) requireScope(`${resource.scope}:read` as Product['scope']);
  const loaded = await Promise.all(
    [...byResource].map(async ([resource, referring]) => {
      const store = stores[resource.table as keyof typeof stores] as Pick<Store<Entity>, 'find'>;
      return [resource, await findCurrent(store, relation, referring)] as const;
    }),
  );
  const members = new Map(loaded);
  return (row) => {
    const resource = relatedTo(relation, row);
    const member = members.get(resource)?.get(idOf(row) ?? 0);
    const body = member ? serialize(resource.fields[version], member) : null;
    return { name, body, version: member?.version ?? 0 };
  };
};

/** How long the items of a transaction may become visible one by one. */
const VISIBILITY_MS = 2000;
const PAUSE_MS = 50;

/**
 * Reads related members. A read can see one item of a transaction before another, so it repeats while a member is behind
 * the version that a recent row contains.
 */
const findCurrent = async (
  store: Pick<Store<Entity>, 'find'>,
  { via, versionIn }: Relation,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, Entity>> => {
  const ids = rows.map((row) => row[via] as number);
  for (const deadline = Date.now() + VISIBILITY_MS; ; await sleep(PAUSE_MS)) {
    const members = await store.find(ids);
    const isBehind = (row: Row): boolean =>
      versionIn !== undefined &&
      (row['id'] as number) >= firstIdAt(Date.now() - VISIBILITY_MS) &&
      (members.get(row[via] as number)?.version ?? 0) < (row[versionIn] as number);
    if (!rows.some(isBehind) || Date.now() >= deadline) return members;
  }
};
