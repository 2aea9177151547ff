import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#shared/platform/wire/schema.ts';
import type { Json } from './json-schema.ts';
import { ref } from './resources.ts';

/**
 * Moves each schema with a `title` to a component of that name. Generators would name the type after its first place, or
 * `Type0`, or not at all.
 * @throws Error for different schemas with the same title
 */
export const withNamedSchemas = (schemas: Json): Json => {
  const named: Record<string, Json> = {};
  const move = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(move);
    if (!isObject(node)) return node;
    const { title, ...schema } = Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, move(inner)]));
    if (typeof title !== 'string') return title === undefined ? schema : { title, ...schema };
    named[title] ??= schema;
    if (title in schemas || !isDeepStrictEqual(named[title], schema))
      throw new Error(`Two schemas are named ${title}.`);
    return ref('schemas', title);
  };
  return { ...(move(schemas) as Json), ...named };
};
