import type { Json } from '../json-schema.ts';
import type { Branch } from './resolve.ts';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export const typesOf = ({ schema }: Branch): readonly string[] => {
  if (schema['type'] === undefined) return TYPES;
  const types = [schema['type']].flat() as string[];
  return types.includes('number') ? [...types, 'integer'] : types;
};

/** Omits null, because the types state whether it is permitted. */
export const valuesOf = (schema: Json): unknown[] | undefined =>
  ((schema['enum'] as unknown[]) ?? ('const' in schema ? [schema['const']] : undefined))?.filter((one) => one !== null);

export const dependenciesOf = ({ dependentRequired = {} }: Json): string[] =>
  Object.entries(dependentRequired as Record<string, string[]>).flatMap(([name, others]) =>
    others.map((other) => `"${other}" whenever it has "${name}"`),
  );

/** The chain of `if`, `then` and `else`, as a consequence for each condition. */
export const conditionsOf = ({
  if: condition,
  then: consequence,
  else: others = {},
}: Json): ReadonlyMap<string, Json> =>
  condition === undefined
    ? new Map()
    : new Map([[JSON.stringify(condition), consequence as Json], ...conditionsOf(others as Json)]);

/** Whether a condition applies only to a value that clients could not send before. */
export const isOfNewValue = ({ properties = {} }: Json, was: Json): boolean =>
  Object.entries(properties as Record<string, Json>).some(([name, { const: value }]) => {
    const values = valuesOf(((was['properties'] ?? {}) as Record<string, Json>)[name] ?? {});
    return values !== undefined && !values.includes(value);
  });
