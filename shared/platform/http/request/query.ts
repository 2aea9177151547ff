import { attributesOfRelation, type Relation } from '#shared/platform/declarations/resource.ts';
import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import type { RequestedAttribute } from '#shared/platform/store/page.ts';
import { attributesOf, type Fields } from '#shared/platform/wire/field.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import { describeUnknown } from '#shared/platform/wire/violation.ts';

/** Every occurrence of every query parameter, decoded and in the given order. */
export type Query = readonly (readonly [name: string, value: string])[];

/**
 * Parses the raw query string, because the gateway joins repeated parameters with commas.
 * @throws ProblemError `malformed-query` for a `%` that is not percent-encoded UTF-8
 */
export const parseQuery = (raw: string): Query => raw.split('&').filter(Boolean).map(decodePair);

const decodePair = (pair: string): Query[number] => {
  const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
  try {
    return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
  } catch {
    throw new ProblemError('malformed-query', { detail: `${quote(pair)} in the query is not percent-encoded UTF-8.` });
  }
};

/** The values of the parameters with these names, by name; any other parameter is a violation. */
export const knownParameters = (
  query: Query,
  names: readonly string[],
  violations: Violation[],
): Map<string, string> => {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of query) {
    if (parameters.has(name)) repeated.add(name);
    parameters.set(name, value);
  }
  const unknown = [...parameters.keys()].filter((name) => !names.includes(name));
  for (const [i, parameter] of unknown.entries()) {
    violations.push({ parameter, code: 'unknown-parameter', detail: describeUnknown(names, i) });
    // So that no other check reports it once more.
    parameters.delete(parameter);
  }
  for (const parameter of repeated) violations.push({ parameter, code: 'repeated', detail: 'must be given once' });
  return parameters;
};

/** The requested fields and related resources (§4 Partial responses). */
export interface Selection {
  /** Sorted and unique; all fields when undefined. */
  readonly fields?: readonly string[] | undefined;
  readonly expand: readonly string[];
  /** The stored attributes that the response needs in addition to id and version; all when undefined. */
  readonly attributes?: readonly RequestedAttribute[] | undefined;
}

/** For cache keys (CONTRACT §6). A test compares it with infra/constructs/cdn-functions/viewer-request.js. */
export const normalForm = (list: string): string[] => [...new Set(list.split(','))].sort();

type Relations = Readonly<Record<string, Relation>>;

export const parseSelection = (
  known: Fields,
  relations: Relations,
  parameters: ReadonlyMap<string, string>,
  violations: Violation[],
): Selection => {
  const fields = parseNames(parameters.get('fields'), 'fields', Object.keys(known), violations);
  const expand = parseNames(parameters.get('expand'), 'expand', Object.keys(relations), violations) ?? [];
  const via = expand.flatMap((name) => attributesOfRelation(relations[name]));
  return {
    fields,
    expand,
    attributes: fields && ([...attributesOf(known, fields), ...via] as RequestedAttribute[]),
  };
};

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
