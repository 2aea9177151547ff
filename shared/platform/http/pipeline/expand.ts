import { createHash } from 'node:crypto';
import {
  type Parts,
  type Relation,
  type Resource,
  relatedTo,
  TornReadError,
} from '#shared/platform/declarations/resource.ts';
import type { StoresByName } from '#shared/platform/declarations/store-methods.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { Input } from '#shared/platform/http/endpoint.ts';
import type { Reply } from '#shared/platform/http/reply.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Store } from '#shared/platform/store/store.ts';
import { attributesOf, createSerializer } from '#shared/platform/wire/field.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import type { Scope } from '#shared/vocabulary.ts';

type Row = Readonly<Record<string, unknown>>;
type Related = { readonly name: string; readonly body: unknown; readonly version: number | string };

/** The related resources of a row, serialized. The body is null if the related resource does not exist. */
export type EmbedRelations = (row: VersionedId) => readonly Related[];

interface Loading {
  readonly stores: StoresByName;
  readonly version: Version;
  readonly requireScope: Input['requireScope'];
}

/**
 * Begins to read the parts of an owner. The ids of the parts that were created with the owner follow its id, so one
 * query finds these parts before the owner is read.
 * @returns a function that reads the other related resources of a reply
 */
export const expand = (
  names: readonly string[],
  relations: Readonly<Record<string, Relation>>,
  owner: number | undefined,
  loading: Loading,
): ((reply: Reply) => Promise<EmbedRelations>) => {
  const early = new Map(
    names.flatMap((name) => {
      const relation = relations[name];
      if (!relation || !hasParts(relation) || owner === undefined) return [];
      const parts = readParts(relation, owner, loading);
      // The handler may throw before anything awaits the parts.
      parts.catch(() => {});
      return [[relation, parts] as const];
    }),
  );
  return async ({ page, member }) => {
    const rows = page?.rows ?? (member ? [member] : []);
    const embedders = await Promise.all(
      names.map(async (name) => {
        const relation = relations[name] as Relation;
        if (!hasParts(relation)) return loadRelation(name, relation, rows, loading);
        const loaded = { name, ...(await loadParts(relation, rows[0] as Row, early.get(relation), loading)) };
        return () => loaded;
      }),
    );
    return (row) => embedders.map((embed) => embed(row));
  };
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
 * Reads related members. A read can show one item of a transaction before another item, so this function reads a member
 * again if its version is lower than the version in a recent row. It reads a deleted member again, too.
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

type Part = VersionedId & Readonly<Record<string, unknown>>;

type WithParts = Relation & { readonly parts: Parts };

const hasParts = (relation: Relation): relation is WithParts => relation.parts !== undefined;

const readParts = async (relation: WithParts, owner: number, { stores, version }: Loading): Promise<Part[]> => {
  const fields = partOf(relation).fields[version];
  const attributes = ['version', ...attributesOf(fields, Object.keys(fields))];
  const range = { from: owner + 1, before: owner + 1 + relation.parts.max };
  const parts: Part[] = [];
  let reached = owner;
  for await (const { rows, after } of storeOf(relation, stores).rows({ ...range, filter: {}, attributes })) {
    // The reader of rows would repeat a refused page until the time limit of the function.
    if (after === reached) throw new ProblemError('unavailable', { detail: 'The database refused to read the parts.' });
    for (const row of rows) parts.push(row as Part);
    reached = after;
  }
  return parts;
};

/**
 * The parts of an owner in the order of their ids, and a text that changes with each part. A part that was added later
 * is read by its id.
 * @throws TornReadError when the owner and its parts are not one state
 */
const loadParts = async (
  relation: WithParts,
  owner: Readonly<Record<string, unknown>>,
  early: Promise<readonly Part[]> | undefined,
  { stores, version }: Loading,
): Promise<{ readonly body: readonly object[]; readonly version: string }> => {
  const ids = (owner[relation.via] ?? []) as readonly number[];
  const found = new Map<number, Part>((await early)?.map((part) => [part.id, part]));
  const added = ids.filter((id) => !found.has(id));
  if (added.length > 0) for (const [id, part] of await storeOf(relation, stores).find(added)) found.set(id, part);
  const parts = ids.toSorted((a, b) => a - b).flatMap((id) => found.get(id) ?? []);
  // The casts to `never`: relations of all row types share one type.
  if (parts.length < ids.length || !relation.parts.isOneState(owner as never, parts as never[]))
    throw new TornReadError();
  const versions = parts.map(({ id, version }) => `${id}.${version}`).join();
  return {
    body: parts.map(createSerializer(partOf(relation).fields[version])),
    version: createHash('sha256').update(versions).digest('hex').slice(0, TAG_DIGITS),
  };
};

const TAG_DIGITS = 16;

const partOf = ({ resources }: Relation): Resource => resources[0] as Resource;

const storeOf = (relation: Relation, stores: StoresByName): Pick<Store<Entity>, 'find' | 'rows'> =>
  stores[partOf(relation).table] as Pick<Store<Entity>, 'find' | 'rows'>;
