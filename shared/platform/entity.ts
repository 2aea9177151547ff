import { isDeepStrictEqual } from 'node:util';

/** What every stored member of a collection has: a type, because an interface is no record of attributes. */
export type Entity = {
  readonly id: number;
  /** Counts the changes of the stored state, from 1; the entity tag (CONTRACT §7). */
  readonly version: number;
  /** RFC 3339 UTC with milliseconds, as all timestamps. */
  readonly created_at: string;
  readonly updated_at: string;
};

/** A member, as far as every read of it goes: its id, and the version that its entity tag is made of. */
export type VersionedId = Pick<Entity, 'id' | 'version'>;

/** The identity and time of a new member, handed in so that rules stay pure. */
export interface Creation {
  id: number;
  at: string;
}

/** A new member: its first version. */
export const createEntity = <T extends object>(state: T, { id, at }: Creation): T & Entity => ({
  id,
  version: 1,
  created_at: at,
  updated_at: at,
  ...state,
});

/** The next version of a member, or the very same value when nothing changed (CONTRACT §4 Success). */
export const nextVersion = <T extends Entity>(before: T, after: T, at: string): T =>
  isDeepStrictEqual(before, after) ? before : { ...after, version: before.version + 1, updated_at: at };

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * RFC 7396 for one value: objects merge member by member, null removes a member, anything else replaces. A map
 * takes any name, `__proto__` too.
 */
const mergeValue = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergeValue(result.get(name), value));
  }
  return Object.fromEntries(result);
};

/** A merge patch of T: any of its members, nested objects in part. */
export type MergePatch<T> = {
  readonly [K in keyof T]?: T[K] extends Record<string, unknown> | null
    ? { readonly [M in keyof NonNullable<T[K]>]?: NonNullable<T[K]>[M] | null } | Extract<T[K], null>
    : T[K];
};

/**
 * Applies a merge patch (RFC 7396) to a member. A member's fields are always there, so null does not remove
 * one: it is the field's empty value.
 */
export const applyMergePatch = <P, T extends P & object>(before: T, patch: MergePatch<P>): T => {
  const after: T = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    Object.assign(after, { [name]: mergeValue(before[name as keyof T], value) });
  }
  return after;
};
