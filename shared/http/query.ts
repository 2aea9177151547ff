import { Refusal, type Violation } from '#shared/domain/refusal.ts';

/** Every occurrence of every query parameter, decoded, in the order sent. */
export type Query = readonly (readonly [name: string, value: string])[];

/**
 * Reads the raw query string: the gateway's own parsing joins repeated parameters with commas.
 * @throws Refusal `malformed-query` for `%` that is no percent-encoding of UTF-8
 */
export const parseQuery = (raw: string): Query => {
  try {
    return raw
      .split('&')
      .filter(Boolean)
      .map((pair) => {
        const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
        return [decodeURIComponent(name), decodeURIComponent(value.join('='))] as const;
      });
  } catch {
    throw new Refusal('malformed-query');
  }
};

/** The parameters by name, with a violation for each that is unknown or given twice. */
export const known = (query: Query, names: readonly string[], violations: Violation[]): Map<string, string> => {
  const found = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, value] of query) {
    if (found.has(name)) repeated.add(name);
    found.set(name, value);
  }
  for (const parameter of found.keys()) {
    if (names.includes(parameter)) continue;
    violations.push({ parameter, code: 'unknown-parameter', detail: `is none of ${names.join(', ')}` });
  }
  for (const parameter of repeated) violations.push({ parameter, code: 'repeated', detail: 'must be given once' });
  return found;
};
