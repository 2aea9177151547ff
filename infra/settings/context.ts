/** Settings that nothing can be deployed with; the message is one line, and says it all. */
export class SettingError extends Error {}

/** A text of CDK's context; an empty one counts as absent. */
export type Value = (key: string) => string | undefined;

const malformed = (key: string, expected: string, value: string): SettingError =>
  new SettingError(`-c ${key} must be ${expected}, not ${JSON.stringify(value)}.`);

export const oneOf = <T>(key: string, choices: Readonly<Record<string, T>>, value: string): T => {
  if (Object.hasOwn(choices, value)) return choices[value] as T;
  throw malformed(key, `one of ${Object.keys(choices).join(', ')}`, value);
};

export const positiveInteger = (key: string, value: Value, fallback: number): number => {
  const text = value(key);
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw malformed(key, 'a positive integer', text);
};

export const flag = (key: string, value: Value): boolean =>
  oneOf(key, { true: true, false: false }, value(key) ?? 'false');

/** A text of a form. */
export const matching = (key: string, form: RegExp, expected: string, value: Value): string | undefined => {
  const text = value(key);
  if (text === undefined || form.test(text)) return text;
  throw malformed(key, expected, text);
};

/**
 * Numbers by name: `payments/create=50, refunds/create=20`.
 * @param names those that there are
 */
export const numbersOf = (key: string, names: readonly string[], value: Value): Readonly<Record<string, number>> => {
  const text = value(key) ?? '';
  const pairs = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((pair) => {
      const [, name, number] = /^([^=]+)=([1-9]\d{0,8})$/.exec(pair) ?? [];
      if (name !== undefined && names.includes(name)) return [name, Number(number)];
      throw malformed(key, `endpoints and positive integers, such as ${names[0]}=10`, pair);
    });
  return Object.fromEntries(pairs);
};

/**
 * Refuses what looks like a setting of this service but is none: a misspelt one would silently deploy the default.
 * CDK's own keys have a colon, a slash or a hyphen in them.
 */
export const refuseUnknown = (given: readonly string[], known: readonly string[]): void => {
  const unknown = given.find((key) => /^[A-Za-z0-9]+$/.test(key) && !known.includes(key));
  if (unknown !== undefined) throw new SettingError(`-c ${unknown} is no setting; there are ${known.join(', ')}.`);
};
