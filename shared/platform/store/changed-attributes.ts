import { isDeepStrictEqual } from 'node:util';
import type { Attributes, Clause } from '#shared/platform/commit/write.ts';

interface ChangedAttributes {
  readonly set: Attributes;
  readonly remove: readonly string[];
}

export const changedAttributes = (before: Attributes, after: Attributes): ChangedAttributes => {
  const set: Record<string, unknown> = {};
  const remove: string[] = [];
  for (const [attribute, value] of Object.entries(after)) {
    if (isDeepStrictEqual(value, before[attribute])) continue;
    if (value === undefined) remove.push(attribute);
    else set[attribute] = value;
  }
  return { set, remove };
};

/**
 * The clause that an attribute has this value. A row of an older deployment lacks attributes that are newer.
 * @param before the value that a row without the attribute is read with (store/read-row.ts)
 */
export const unchangedClause = (attribute: string, value: unknown, before?: unknown): Clause => {
  if (value === undefined) return [attribute, 'absent'];
  return [attribute, isDeepStrictEqual(value, before) ? 'absent or =' : '=', value];
};
