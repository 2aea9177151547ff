interface Difference {
  readonly difference: string;
  /** The tests that fail because of it, as `<group>: <title> [<clause>]`. */
  readonly tests: RegExp;
}

/** On a busy machine, no number of requests at a time exceeds a budget, and leaves the counter reachable. */
export const TOO_SLOW: Difference = {
  difference: 'its functions and its DynamoDB are too slow to exceed the budget of an account',
  tests: /^Limits of an account: above the budget/,
};

/**
 * The differences between MiniStack and AWS, because of which tests of the acceptance suite fail while other tests run
 * (docs/engines.md).
 */
export const DIFFERENCES: readonly Difference[] = [
  TOO_SLOW,
  {
    difference: 'a call of DynamoDB takes more than the 50 ms after which the counter of a limit counts as unreachable',
    tests: /^Limits of an account: many requests at once/,
  },
];
