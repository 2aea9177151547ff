import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#shared/openapi/json-schema.ts';
import { isObject } from '#shared/platform/entity.ts';

/** Keywords that belong to the place of a schema. Next to a `$ref`, they stay where they are. */
const OF_PLACE = new Set(['description', 'readOnly', 'default', 'x-default']);

/**
 * Moves each schema with a `title` to a component of that name. Generators would name the type after its first place, or
 * `Type0`, or not at all.
 * @throws Error for different schemas with the same title
 */
export const withNamedSchemas = (document: Json): Json => {
  const named: Record<string, Json> = {};
  const move = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(move);
    if (!isObject(node)) return node;
    const { title, ...members } = node;
    const schema = mapMembers(members, move);
    if (typeof title !== 'string') return title === undefined ? schema : { title: move(title), ...schema };
    const entries = Object.entries(schema);
    const component = Object.fromEntries(entries.filter(([key]) => !OF_PLACE.has(key)));
    named[title] ??= component;
    if (!isDeepStrictEqual(named[title], component)) throw new Error(`Two schemas are named ${title}.`);
    return {
      $ref: `#/components/schemas/${title}`,
      ...Object.fromEntries(entries.filter(([key]) => OF_PLACE.has(key))),
    };
  };
  const inSchemas = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inSchemas);
    if (!isObject(node)) return node;
    return mapMembers(node, (member, key) => {
      // An example of a problem has a `title`, too.
      if (key === 'examples') return member;
      if (key === 'schema') return move(member);
      return key === 'schemas' ? mapMembers(member as Json, move) : inSchemas(member);
    });
  };
  const { components, ...rest } = inSchemas(document) as { readonly components: Record<string, Json> } & Json;
  const { schemas = {} } = components;
  const taken = Object.keys(named).find((title) => title in schemas);
  if (taken) throw new Error(`Two schemas are named ${taken}.`);
  return { ...rest, components: { ...components, schemas: { ...schemas, ...named } } };
};

const mapMembers = (object: Json, map: (member: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, member]) => [key, map(member, key)]));
