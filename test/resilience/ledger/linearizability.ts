/*
 * Checks whether a history of concurrent calls is linearizable: whether the same calls, one at a time, each at a moment
 * between its start and its end, give the same outputs (Wing & Gong 1993, with a cache of refuted states, Lowe 2017).
 */

/** A call. Its output is undefined when the client did not learn it; start and end order the calls, in any unit. */
export interface Call<Input, Output> {
  readonly input: Input;
  readonly output: Output | undefined;
  readonly start: number;
  /** A call without an output may take effect at any later time, or never. */
  readonly end: number;
}

/** The sequential specification: the output of a call in a state, and the next state. */
export type Specification<State, Input, Output> = (
  state: State,
  input: Input,
) => { readonly state: State; readonly output: Output };

/** Returns an order of the calls that explains the history, or undefined without such an order. */
export const linearize = <State, Input, Output>(
  history: readonly Call<Input, Output>[],
  initial: State,
  specification: Specification<State, Input, Output>,
  isEqual: (expected: Output, actual: Output) => boolean,
): Call<Input, Output>[] | undefined => {
  const refuted = new Set<string>();
  const isKnown = ({ output }: Call<Input, Output>) => output !== undefined;

  const search = (left: readonly number[], state: State): number[] | undefined => {
    const calls = left.map((at) => history[at] as Call<Input, Output>);
    if (!calls.some(isKnown)) return [];
    const key = JSON.stringify([left, state]);
    if (refuted.has(key)) return undefined;
    // A call that ended before another call started comes first.
    const earliestEnd = Math.min(...calls.filter(isKnown).map(({ end }) => end));
    const tried = new Set<string>();
    for (const at of left) {
      const { input, output, start } = history[at] as Call<Input, Output>;
      if (start > earliestEnd) continue;
      // Of equal calls, the first to end is as good as any other.
      const call = JSON.stringify([input, output]);
      if (tried.has(call)) continue;
      tried.add(call);
      const next = specification(state, input);
      if (output !== undefined && !isEqual(next.output, output)) continue;
      const rest = search(
        left.filter((other) => other !== at),
        next.state,
      );
      if (rest) return [at, ...rest];
      // A call that changes nothing is as good here as later.
      if (output !== undefined && next.state === state) break;
    }
    refuted.add(key);
    return undefined;
  };

  const byEnd = [...history.keys()].sort((a, b) => (history[a]?.end ?? 0) - (history[b]?.end ?? 0));
  return search(byEnd, initial)?.map((at) => history[at] as Call<Input, Output>);
};
