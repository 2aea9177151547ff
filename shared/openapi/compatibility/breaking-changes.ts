import { toFacts } from './facts.ts';

/**
 * The changes between the lines of a release and the present lines that can break a client. A fact with `must` or
 * `sometimes` restricts what a client relies on: a part of the release gets no further restriction. Any other fact is a
 * promise, and remains.
 */
export const breakingChanges = (released: readonly string[], current: readonly string[]): string[] => {
  const [was, is] = [toFacts(released), toFacts(current)];
  const removed = [...was.keys()].filter((part) => !is.has(part));
  return [
    ...removed.filter((part) => !removed.some((other) => isWithin(part, other))).map((part) => `removed: ${part}`),
    ...[...was].flatMap(([part, facts]) =>
      [...facts]
        .filter((fact) => !isRestriction(fact) && is.get(part)?.has(fact) === false)
        .map((fact) => `removed: ${part}: ${fact}`),
    ),
    ...[...is].flatMap(([part, facts]) =>
      [...facts]
        .filter((fact) => isRestriction(fact) && ![...(was.get(part) ?? [fact])].some((other) => permits(fact, other)))
        .map((fact) => `added: ${part}: ${fact}`),
    ),
  ];
};

const isWithin = (part: string, other: string): boolean =>
  part.startsWith(other) && /^[ .[]/.test(part.slice(other.length));

const isRestriction = (fact: string): boolean => /\b(must|sometimes)\b/.test(fact);

/** Whether a restriction permits all values of another restriction: both are equal, or the limit is wider. */
const permits = (fact: string, other: string): boolean => {
  const [is, was] = [fact, other].map((one) => /^(.*\bm(?:in|ax)\w+) (\d+)$/.exec(one));
  if (!is || is[1] !== was?.[1]) return fact === other;
  return / max\w+$/.test(String(is[1])) ? Number(is[2]) >= Number(was?.[2]) : Number(is[2]) <= Number(was?.[2]);
};
