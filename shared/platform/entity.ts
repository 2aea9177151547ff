import { isDeepStrictEqual } from 'node:util';

/** The attributes of every stored member. A type alias, because an interface is not assignable to a Record. */
export type Entity = {
  readonly id: number;
  /** Counts changes, from 1; the ETag (CONTRACT §7). */
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** The attributes that every read of a member returns. */
export type VersionedId = Pick<Entity, 'id' | 'version'>;

export interface Creation {
  id: number;
  at: string;
}

export const createEntity = <T extends object>(state: T, { id, at }: Creation): T & Entity => ({
  id,
  version: 1,
  created_at: at,
  updated_at: at,
  ...state,
});

/** Returns the same object when nothing has changed (CONTRACT §4 Success). */
export const nextVersion = <T extends Entity>(before: T, after: T, at: string): T =>
  isDeepStrictEqual(before, after) ? before : { ...after, version: before.version + 1, updated_at: at };

export type MergePatch<T> = {
  readonly [K in keyof T]?: T[K] extends Record<string, unknown> | null
    ? { readonly [M in keyof NonNullable<T[K]>]?: NonNullable<T[K]>[M] | null } | Extract<T[K], null>
    : T[K];
};

/** Applies a merge patch (RFC 7396). For a field of the member, null is the empty value and does not remove it. */
export const applyMergePatch = <P, T extends P & object>(before: T, patch: MergePatch<P>): T => {
  const after: T = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    Object.assign(after, { [name]: mergeValue(before[name as keyof T], value) });
  }
  return after;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396 for one value. A Map supports any name, also `__proto__`. */
const mergeValue = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergeValue(result.get(name), value));
  }
  return Object.fromEntries(result);
};
