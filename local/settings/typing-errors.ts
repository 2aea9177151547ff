import type { Environment } from '#shared/runtime/settings.ts';

/** Whether two different names differ by one letter: wrong, missing, added, or swapped with the next letter. */
const isTypingError = (one: string, other: string): boolean => {
  const start = [...one].findIndex((letter, i) => letter !== other[i]);
  const [a, b] = start < 0 ? ['', other.slice(one.length)] : [one.slice(start), other.slice(start)];
  const isSwap = a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2);
  return isSwap || [b, b.slice(1)].includes(a.slice(1)) || a === b.slice(1);
};

/** Warnings about variables whose names are almost the name of a setting. */
export const findTypingErrors = (environment: Environment, settings: readonly string[]): string[] =>
  Object.keys(environment).flatMap((name) => {
    const meant = settings.includes(name) ? undefined : settings.find((setting) => isTypingError(name, setting));
    return meant ? [`Warning: ${name} is not a setting. Did you mean ${meant}?`] : [];
  });
