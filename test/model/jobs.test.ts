import { describe, expect, test } from '@jest/globals';
import { jobs, type Safeguards, type State } from './jobs.ts';
import { search } from './search.ts';

describe('the protocol of jobs: claim, lease, version as the fence, reconciler [CONTRACT §9]', () => {
  test('two workers and a reconciler, in any order, each lost at any step: the job ends exactly once', () => {
    const { states, counterexample } = search(jobs(2));
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(1000);
  });

  test('the search reaches an attempt that has lost its lease to another that completes the job', () => {
    const reached = ({ workers: [first, second], ends }: State) =>
      ends[0] === 'done' && [first, second].some((one) => one?.at === 'working');
    const broken = (state: State) => (reached(state) ? 'reached' : undefined);
    expect(search({ ...jobs(2), broken }).counterexample).toEqual([
      'worker 1 receives a message that comes again',
      'worker 1 claims the job',
      '4 ms pass',
      'worker 2 receives a message',
      'worker 2 claims the job',
      'worker 2 completes the job',
      'BROKEN: reached',
    ]);
  });

  test.each<[without: keyof Safeguards, shortest: readonly string[]]>([
    [
      'commitIfVersion',
      ['worker 1 receives a message', 'a client cancels the job', 'worker 1 claims the job', 'BROKEN: an end is final'],
    ],
    ['reconcile', ['worker 1 receives a message', 'BROKEN: the job always ends']],
  ])('without %s: an invariant breaks', (without, shortest) => {
    expect(search(jobs(2, { [without]: false })).counterexample).toEqual(shortest);
  });
});
