import type { Store } from '#shared/platform/data/store.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import type { Selection } from '#shared/platform/http/request/field-selection.ts';
import type { Product } from '#shared/platform/product.ts';
import { type Resource, serialize } from '#shared/platform/resource.ts';
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

export const loadRelated = async (
  resource: Resource,
  { page, member }: Reply,
  { expand }: Selection,
  version: Version,
  stores: Product['stores'],
): Promise<LoadedReply> => {
  const rows = page?.rows ?? (member ? [member] : []);
  return { resource, rows, embed: await loadRelations(resource, expand, rows, version, stores) };
};

/** One round trip for each relation (§4 Partial responses 2). */
const loadRelations = async (
  { relations }: Resource,
  names: readonly string[],
  rows: readonly VersionedId[],
  version: Version,
  stores: Product['stores'],
): Promise<EmbedRelations> => {
  const embedders = await Promise.all(
    names.map(async (name) => {
      const { via, resource } = relations[name] as Resource['relations'][string];
      const idOf = (row: Row) => row[via] as number | null;
      const ids = rows.map(idOf).filter((id) => id !== null);
      const store = stores[resource.table as keyof typeof stores] as Pick<Store<Entity>, 'find'>;
      const members = ids.length > 0 ? await store.find(ids) : new Map<number, Entity>();
      return (row: VersionedId): Related => {
        const member = members.get(idOf(row) ?? 0);
        const body = member ? serialize(resource.fields[version], member) : null;
        return { name, body, version: member?.version ?? 0 };
      };
    }),
  );
  return (row) => embedders.map((embed) => embed(row));
};
