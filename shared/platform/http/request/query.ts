import { ProblemError, type Violation } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';
import { describeUnknown } from '#shared/platform/wire/violation.ts';

/** Every occurrence of every query parameter, decoded, in the order sent. */
export type Query = readonly (readonly [name: string, value: string])[];

/**
 * Reads the raw query string: the gateway's own parsing joins repeated parameters with commas.
 * @throws ProblemError `malformed-query` for `%` that is no percent-encoding of UTF-8
 */
export const parseQuery = (raw: string): Query => {
  return raw.split('&').filter(Boolean).map(decodePair);
};

const decodePair = (pair: string): Query[number] => {
  const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
  try {
    return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
  } catch {
    throw new ProblemError('malformed-query', { detail: `${quote(pair)} in the query is not percent-encoded UTF-8.` });
  }
};

/** The parameters by name, with a violation for each that is unknown or given twice. */
export const knownParameters = (
  query: Query,
  names: readonly string[],
  violations: Violation[],
): Map<string, string> => {
  const found = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of query) {
    if (found.has(name)) repeated.add(name);
    found.set(name, value);
  }
  const unknown = [...found.keys()].filter((name) => !names.includes(name));
  for (const [i, parameter] of unknown.entries()) {
    violations.push({ parameter, code: 'unknown-parameter', detail: describeUnknown(names, i) });
  }
  for (const parameter of repeated) violations.push({ parameter, code: 'repeated', detail: 'must be given once' });
  return found;
};
