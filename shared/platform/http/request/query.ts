import { ProblemError, type Violation } from '#shared/platform/problem.ts';
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
  }
  for (const parameter of repeated) violations.push({ parameter, code: 'repeated', detail: 'must be given once' });
  return parameters;
};
