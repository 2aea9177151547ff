/*
 * Whether a history of concurrent calls could have come of the same calls one at a time, each at some moment between
 * its start and its end (Wing & Gong 1993), remembering what was tried before (Lowe 2017).
 */

/** A call: what was asked, what came of it (undefined: nobody knows), and when, in any unit that orders. */
export interface Call<Ask, Got> {
  readonly ask: Ask;
  readonly got: Got | undefined;
  readonly start: number;
  /** Where the outcome is unknown, the call may take effect at any later time, or never. */
  readonly end: number;
}

/** One thing at a time: what comes of a call in a state, and the state after it. */
export type Specification<State, Ask, Got> = (state: State, ask: Ask) => { readonly state: State; readonly got: Got };

/** An order of the calls that explains the history, or undefined where there is none. */
export const linearized = <State, Ask, Got>(
  history: readonly Call<Ask, Got>[],
  initial: State,
  specification: Specification<State, Ask, Got>,
  agrees: (specified: Got, got: Got) => boolean,
): Call<Ask, Got>[] | undefined => {
  const refuted = new Set<string>();
  const isKnown = ({ got }: Call<Ask, Got>) => got !== undefined;

  const search = (left: readonly number[], state: State): number[] | undefined => {
    const calls = left.map((at) => history[at] as Call<Ask, Got>);
    if (!calls.some(isKnown)) return [];
    const tried = JSON.stringify([left, state]);
    if (refuted.has(tried)) return undefined;
    // A call that had ended before another one started comes before it.
    const earliestEnd = Math.min(...calls.filter(isKnown).map(({ end }) => end));
    for (const at of left) {
      const { ask, got, start } = history[at] as Call<Ask, Got>;
      if (start > earliestEnd) continue;
      const next = specification(state, ask);
      if (got !== undefined && !agrees(next.got, got)) continue;
      const rest = search(
        left.filter((other) => other !== at),
        next.state,
      );
      if (rest) return [at, ...rest];
    }
    refuted.add(tried);
    return undefined;
  };

  return search([...history.keys()], initial)?.map((at) => history[at] as Call<Ask, Got>);
};
