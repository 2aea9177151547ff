import { createHash } from 'node:crypto';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Parts, type Relation, type Resource, TornReadError } from '#shared/platform/resource.ts';
import type { Chunk } from '#shared/platform/store/rows.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { Stores } from '#shared/platform/store-methods.ts';
import { attributesOf, createSerializer } from '#shared/platform/wire/serializer.ts';
import type { Version } from '#shared/platform/wire/version.ts';

type Part = VersionedId & Readonly<Record<string, unknown>>;

interface Loading {
  readonly stores: Stores;
  readonly version: Version;
}

type WithParts = Relation & { readonly parts: Parts };

export const hasParts = (relation: Relation): relation is WithParts => relation.parts !== undefined;

/** Reads that began with the read of the owner, by the relation. */
export type EarlyReads = ReadonlyMap<Relation, Promise<readonly Part[]>>;

/**
 * Begins to read the parts of an owner: the ids of those that it was created with follow its id, so that one query finds
 * them, and the owner need not be known.
 */
export const readParts = (
  relations: Readonly<Record<string, Relation>>,
  expand: readonly string[],
  owner: number | undefined,
  { stores, version }: Loading,
): EarlyReads =>
  new Map(
    expand.flatMap((name) => {
      const relation = relations[name];
      if (!relation || !hasParts(relation) || owner === undefined) return [];
      const fields = partOf(relation).fields[version];
      const attributes = ['version', ...attributesOf(fields, Object.keys(fields))];
      const range = { from: owner + 1, before: owner + 1 + relation.parts.max };
      const parts = collect(storeOf(relation, stores).rows({ ...range, filter: {}, attributes }), owner);
      // The handler may throw before anything awaits the parts.
      parts.catch(() => {});
      return [[relation, parts] as const];
    }),
  );

/**
 * The parts of an owner in the order of their ids, and a text that changes with each of them. A part that was added later is
 * read by its id.
 * @throws TornReadError when the owner and its parts are not one state
 */
export const loadParts = async (
  relation: WithParts,
  owner: Readonly<Record<string, unknown>>,
  early: EarlyReads,
  { stores, version }: Loading,
): Promise<{ readonly body: readonly object[]; readonly version: string }> => {
  const ids = (owner[relation.via] ?? []) as readonly number[];
  const found = new Map<number, Part>((await early.get(relation))?.map((part) => [part.id, part]));
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

const collect = async (chunks: AsyncIterable<Chunk>, owner: number): Promise<Part[]> => {
  const parts: Part[] = [];
  let reached = owner;
  for await (const { rows, after } of chunks) {
    // The reader of rows would repeat a refused page until the time limit of the function.
    if (after === reached) throw new ProblemError('unavailable', { detail: 'The database refused to read the parts.' });
    parts.push(...(rows as Part[]));
    reached = after;
  }
  return parts;
};

const TAG_DIGITS = 16;

const partOf = ({ resources }: Relation): Resource => resources[0] as Resource;

const storeOf = (relation: Relation, stores: Stores): Pick<Store<Entity>, 'find' | 'rows'> =>
  stores[partOf(relation).table] as Pick<Store<Entity>, 'find' | 'rows'>;
