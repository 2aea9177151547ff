import type { Json } from '../json-schema.ts';

/** Follows references and merges `allOf`. The keywords next to a `$ref` replace those of its target. */
export const resolve = (node: Json, document: Json): Json => {
  const { $ref, allOf, ...own } = node as Json & { $ref?: string; allOf?: Json[] };
  const parts = [...($ref ? [follow($ref, document)] : []), ...(allOf ?? [])].map((part) => resolve(part, document));
  const [first, ...more] = parts;
  if (!first) return node;
  const merged = more.reduce(merge, first);
  return Object.keys(own).length > 0 ? { ...merged, ...own } : merged;
};

/** A schema as a choice: the branches of its `anyOf` or `oneOf`, each with the keywords next to them, or the schema itself. */
export const branchesOf = (schema: Json, document: Json): readonly Branch[] => {
  const { anyOf, oneOf, ...own } = resolve(schema, document) as Json & { anyOf?: Json[]; oneOf?: Json[] };
  const branches = anyOf ?? oneOf;
  if (!branches) return [{ name: nameOf(schema), schema: own }];
  return branches.flatMap((branch) =>
    branchesOf(branch, document).map(({ name, schema: one }) => ({ name, schema: { ...one, ...own } })),
  );
};

export interface Branch {
  /** The name of the component, if the branch is a reference. */
  readonly name: string | undefined;
  readonly schema: Json;
}

const nameOf = ({ $ref }: Json): string | undefined => ($ref as string | undefined)?.split('/').at(-1);

/** @throws Error for a missing schema, for example of a resource that only events embed */
const follow = (reference: string, document: Json): Json =>
  reference
    .split('/')
    .slice(1)
    .reduce<Json>((node, name) => {
      if (!(name in node)) throw new Error(`${reference} does not exist in the document.`);
      return node[name] as Json;
    }, document);

/** @throws Error if both schemas have a keyword without a rule here, with different values */
const merge = (one: Json, other: Json): Json => {
  const common = Object.keys(other).filter((key) => key in one && !(key in MERGES) && one[key] !== other[key]);
  if (common.length > 0) throw new Error(`The parts of an allOf differ in ${common.join(', ')}.`);
  const merged = Object.entries(MERGES)
    .filter(([key]) => key in one && key in other)
    .map(([key, both]) => [key, both(one[key] as never, other[key] as never)]);
  return { ...one, ...other, ...Object.fromEntries(merged) };
};

const MERGES: Readonly<Record<string, (one: never, other: never) => unknown>> = {
  required: (one: string[], other: string[]) => [...new Set([...one, ...other])],
  enum: (one: unknown[], other: unknown[]) => one.filter((value) => other.includes(value)),
  properties: (one: Record<string, Json>, other: Record<string, Json>) => ({
    ...one,
    ...other,
    ...Object.fromEntries(
      Object.keys(one)
        .filter((name) => name in other)
        .map((name) => [name, { allOf: [one[name], other[name]] }]),
    ),
  }),
  description: (_: string, other: string) => other,
};
