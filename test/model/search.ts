/** One atomic step: what happens, in a sentence, and the state that it leads to. */
export interface Step<S> {
  readonly does: string;
  readonly to: S;
}

/** A system as all that can happen next in each of its states, in any order. */
export interface Model<S> {
  readonly initial: S;
  steps(state: S): readonly Step<S>[];
  /** States of one key need only be looked at once. */
  key(state: S): string;
  /** The invariant that a state breaks, if any. */
  broken(state: S): string | undefined;
}

/** What an exhaustive search has found: how many states there are, or the shortest way to a broken invariant. */
export interface SearchResult {
  readonly states: number;
  readonly counterexample?: readonly string[];
}

interface Visit<S> {
  readonly state: S;
  readonly does?: string;
  readonly from?: Visit<S>;
}

const pathTo = <S>({ does, from }: Visit<S>): string[] => (from && does ? [...pathTo(from), does] : []);

/** Visits every reachable state, nearest first, until one breaks an invariant. */
export const search = <S>({ initial, steps, key, broken }: Model<S>): SearchResult => {
  const seen = new Set([key(initial)]);
  let front: Visit<S>[] = [{ state: initial }];
  while (front.length > 0) {
    const next: Visit<S>[] = [];
    for (const from of front) {
      const invariant = broken(from.state);
      if (invariant) return { states: seen.size, counterexample: [...pathTo(from), `BROKEN: ${invariant}`] };
      for (const { does, to } of steps(from.state)) {
        const name = key(to);
        if (seen.has(name)) continue;
        seen.add(name);
        next.push({ state: to, does, from });
      }
    }
    front = next;
  }
  return { states: seen.size };
};
