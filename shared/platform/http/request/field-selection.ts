import type { RequestedAttribute } from '#shared/platform/data/page.ts';
import type { Violation } from '#shared/platform/problem.ts';
import { attributesOf, type Resource } from '#shared/platform/resource.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { describeUnknown } from '#shared/platform/wire/violation.ts';

/** Which fields of a resource a client asked for, and which related resources (§4 Partial responses). */
export interface Selection {
  /** The fields in normal form, sorted and unique; all without it. */
  readonly names: readonly string[] | undefined;
  readonly expand: readonly string[];
  /** The stored attributes that the answer is made of, besides id and version; all without it. */
  readonly attributes: readonly RequestedAttribute[] | undefined;
}

/**
 * The one normal form of a list of names, which any cache key uses (CONTRACT §6). CloudFront computes it, too
 * (infra/constructs/cdn-functions/viewer-request.js); a test compares the two.
 */
export const normalForm = (list: string): string[] => [...new Set(list.split(','))].sort();

const parseNames = (
  list: string | undefined,
  parameter: string,
  allowed: readonly string[],
  violations: Violation[],
) => {
  if (list === undefined) return undefined;
  const names = normalForm(list);
  const unknown = names.filter((name) => !allowed.includes(name));
  for (const [i, name] of unknown.entries()) {
    violations.push({ parameter, code: 'not-allowed', detail: `${quote(name)} ${describeUnknown(allowed, i)}` });
  }
  return names;
};

/** The query parameters that select what a resource's response shows. */
export const selectionParameters = ({ relations }: Resource): string[] =>
  Object.keys(relations).length > 0 ? ['fields', 'expand'] : ['fields'];

/** Reads `fields` and `expand` against the resource's own names, and nothing else. */
export const parseSelection = (
  resource: Resource,
  version: Version,
  parameters: ReadonlyMap<string, string>,
  violations: Violation[],
): Selection => {
  const fields = resource.fields[version];
  const names = parseNames(parameters.get('fields'), 'fields', Object.keys(fields), violations);
  const expand = parseNames(parameters.get('expand'), 'expand', Object.keys(resource.relations), violations) ?? [];
  const via = expand.flatMap((name) => resource.relations[name]?.via ?? []);
  return {
    names,
    expand,
    attributes: names && ([...attributesOf(fields, names), ...via] as RequestedAttribute[]),
  };
};
