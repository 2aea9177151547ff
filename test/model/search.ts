/** One atomic step. */
export interface Step<S> {
  /** A sentence that describes the step. */
  readonly does: string;
  readonly to: S;
}

/** A system, defined by the possible steps in each of its states. */
export interface Model<S> {
  readonly initial: S;
  steps(state: S): readonly Step<S>[];
  /** States with the same key are equivalent: the search visits one of them. */
  key(state: S): string;
  /** The invariant that a state breaks, if any. */
  broken(state: S): string | undefined;
}

export interface SearchResult {
  readonly states: number;
  /** The shortest path to a state that breaks an invariant. */
  readonly counterexample?: readonly string[];
}

/** Visits every reachable state, breadth first, until one breaks an invariant. */
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

interface Visit<S> {
  readonly state: S;
  readonly does?: string;
  readonly from?: Visit<S>;
}

const pathTo = <S>({ does, from }: Visit<S>): string[] => (from && does ? [...pathTo(from), does] : []);
