import type { Input } from '#shared/platform/endpoint.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import type { Selection } from '#shared/platform/http/request/field-selection.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { type Relation, type Resource, relatedTo } from '#shared/platform/resource.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { Stores } from '#shared/platform/store-methods.ts';
import { createSerializer } from '#shared/platform/wire/serializer.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Scope } from '#shared/vocabulary.ts';
import { type EarlyReads, hasParts, loadParts } from './expand-parts.ts';

export interface LoadedReply {
  readonly resource: Resource;
  readonly rows: readonly VersionedId[];
  readonly embed: EmbedRelations;
}

type Row = Readonly<Record<string, unknown>>;
type Related = { readonly name: string; readonly body: unknown; readonly version: number | string };

/** The related resources of a row, serialized. The body is null if the related resource does not exist. */
type EmbedRelations = (row: VersionedId) => readonly Related[];

interface Loading {
  readonly stores: Stores;
  readonly version: Version;
  readonly requireScope: Input['requireScope'];
}

export const loadRelated = async (
  resource: Resource,
  { page, member }: Reply,
  { expand }: Selection,
  early: EarlyReads,
  loading: Loading,
): Promise<LoadedReply> => {
  const rows = page?.rows ?? (member ? [member] : []);
  const embedders = await Promise.all(
    expand.map(async (name) => {
      const relation = resource.relations[name] as Relation;
      if (!hasParts(relation)) return loadRelation(name, relation, rows, loading);
      const loaded = { name, ...(await loadParts(relation, rows[0] as Row, early, loading)) };
      return () => loaded;
    }),
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
  const idOf = (row: Row) => row[relation.via] as number;
  const byResource = Map.groupBy(
    rows.filter((row) => typeof idOf(row) === 'number' && relatedTo(relation, row)),
    (row) => relatedTo(relation, row) as Resource,
  );
  for (const resource of byResource.keys()) requireScope(`${resource.scope}:read` as Scope);
  const entries = await Promise.all(
    [...byResource].map(async ([resource, referring]) => {
      const store = stores[resource.table] as Pick<Store<Entity>, 'find' | 'findCommitted'>;
      return [resource, await findCurrent(store, relation, referring)] as const;
    }),
  );
  const members = new Map(entries);
  return (row) => {
    const resource = relatedTo(relation, row);
    const member = resource && members.get(resource)?.get(idOf(row));
    const body = member ? createSerializer(resource.fields[version])(member) : null;
    return { name, body, version: member?.version ?? 0 };
  };
};

/** After this time, every item of a transaction is readable. */
const VISIBILITY_MS = 10_000;

/**
 * Reads related members. A read can show one item of a transaction before another, so this function reads a member
 * again if its version is lower than the version in a recent row. A deleted member is read again, too.
 */
const findCurrent = async (
  store: Pick<Store<Entity>, 'find' | 'findCommitted'>,
  { via, versionIn }: Relation,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, Entity>> => {
  const idOf = (row: Row) => row[via] as number;
  const members = await store.find(rows.map(idOf));
  if (versionIn === undefined) return members;
  const recent = firstIdAt(Date.now() - VISIBILITY_MS);
  const isBehind = (row: Row): boolean =>
    (row['id'] as number) >= recent && (members.get(idOf(row))?.version ?? 0) < (row[versionIn] as number);
  const behind = new Set(rows.filter(isBehind).map(idOf));
  if (behind.size === 0) return members;
  const others = [...members].filter(([id]) => !behind.has(id));
  return new Map([...others, ...(await store.findCommitted([...behind]))]);
};
