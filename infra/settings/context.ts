/** An invalid setting. The message is printed as one line, without a stack. */
export class SettingError extends Error {}

/** Reads a key of CDK's context. An empty value counts as absent. */
export type ReadContext = (key: string) => string | undefined;

const malformed = (key: string, expected: string, value: string): SettingError =>
  new SettingError(`-c ${key} must be ${expected}, not ${JSON.stringify(value)}.`);

export const oneOf = <T>(key: string, choices: Readonly<Record<string, T>>, value: string): T => {
  if (Object.hasOwn(choices, value)) return choices[value] as T;
  throw malformed(key, `one of ${Object.keys(choices).join(', ')}`, value);
};

export const positiveInteger = (key: string, read: ReadContext, fallback: number): number => {
  const text = read(key);
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw malformed(key, 'a positive integer', text);
};

/** @throws SettingError for a value below `least`, with the reason of this limit */
export const atLeast = (key: string, least: number, reason: string, value: number): number => {
  if (value >= least) return value;
  throw new SettingError(`-c ${key} must be at least ${least}, ${reason}, not ${value}.`);
};

export const flag = (key: string, read: ReadContext): boolean =>
  oneOf(key, { true: true, false: false }, read(key) ?? 'false');

export const textMatching = (key: string, pattern: RegExp, expected: string, read: ReadContext): string | undefined => {
  const text = read(key);
  if (text === undefined || pattern.test(text)) return text;
  throw malformed(key, expected, text);
};

/** Parses numbers by name: `payments/create=50, refunds/create=20`. */
export const numbersByName = (
  key: string,
  names: readonly string[],
  read: ReadContext,
): Readonly<Record<string, number>> => {
  const text = read(key) ?? '';
  const pairs = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((pair) => {
      const [, name, number] = /^([^=]+)=([1-9]\d{0,8})$/.exec(pair) ?? [];
      if (name !== undefined && names.includes(name)) return [name, Number(number)];
      throw malformed(key, `names of functions with positive integers, such as ${names[0]}=10`, pair);
    });
  return Object.fromEntries(pairs);
};

/** CDK's keys contain a colon or a slash, except this key of cdk.json. */
const isOfCdk = (key: string): boolean => /[:/]/.test(key) || key === 'cli-telemetry';

/** Rejects unknown settings, because a misspelt key would silently deploy the default. */
export const rejectUnknown = (given: readonly string[], known: readonly string[]): void => {
  const unknown = given.find((key) => !isOfCdk(key) && !known.includes(key));
  if (unknown !== undefined)
    throw new SettingError(`-c ${unknown} is not a setting. Use one of: ${known.join(', ')} (see docs/deploy.md).`);
};
