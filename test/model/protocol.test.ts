import { describe, expect, test } from '@jest/globals';
import { lease } from './lease.ts';
import { protocol, type Safeguards, type State } from './protocol.ts';
import { search } from './search.ts';

describe('the idempotency record in the same transaction as its effect [CONTRACT §8]', () => {
  test.each([
    ['three attempts at one operation', ['A', 'A', 'A']],
    ['two attempts, and one with another body', ['A', 'A', 'B']],
  ])('%s, in any order, with crashes and lost responses: no invariant breaks', (_, bodies) => {
    for (const due of [1, 2, 3]) {
      const { states, counterexample } = search(protocol(bodies, due));
      expect(counterexample).toBeUndefined();
      expect(states).toBeGreaterThan(500);
    }
  });

  test('the search reaches a crash after the commit, and a retry that replays', () => {
    const reached = ({ attempts: [first, second] }: State) =>
      first?.at === 'crashed' &&
      second?.reply &&
      'success' in second.reply &&
      second.reply.success.startsWith('attempt 1');
    const broken = (state: State) => (reached(state) ? 'reached' : undefined);
    expect(search({ ...protocol(['A', 'A'], 2), broken }).counterexample).toEqual([
      'attempt 1 reads version 0 and sends its transaction',
      "attempt 1's transaction, response lost: committed",
      'attempt 1 crashes',
      'attempt 2 reads version 1 and sends its transaction',
      "attempt 2's transaction: the record exists",
      'BROKEN: reached',
    ]);
  });

  test.each<[without: keyof Safeguards, due: number, shortest: readonly string[]]>([
    [
      'recordIfAbsent',
      2,
      [
        'attempt 1 reads version 0 and sends its transaction',
        "attempt 1's transaction: committed",
        'attempt 2 reads version 1 and sends its transaction',
        "attempt 2's transaction: committed",
        'BROKEN: there is at most one effect',
      ],
    ],
    [
      'effectIfVersion',
      2,
      [
        'attempt 1 reads version 0 and sends its transaction',
        'another client pays the invoice',
        "attempt 1's transaction: committed",
        'BROKEN: the amount due agrees with the payments',
      ],
    ],
    [
      'lookUpBeforeRefusing',
      1,
      [
        'attempt 1 reads version 0 and sends its transaction',
        "attempt 1's transaction: committed",
        'attempt 2 reads that nothing is due',
        'attempt 2 rejects the payment',
        'BROKEN: every reply to the key equals the first committed reply',
      ],
    ],
  ])('without %s: an invariant breaks', (without, due, shortest) => {
    expect(search(protocol(['A', 'A', 'A'], due, { [without]: false })).counterexample).toEqual(shortest);
  });
});

describe('a lease instead: in-progress record, effect, completed record', () => {
  test('a lease that expires while its holder is only slow: two effects', () => {
    expect(search(lease(3, 'may expire early')).counterexample).toEqual([
      'attempt 1 takes the key, with a lease',
      'attempt 1 reads version 0',
      'attempt 1 makes the effect',
      'the lease of attempt 1 expires',
      'attempt 2 takes the key over',
      'attempt 2 reads version 1',
      'attempt 2 makes the effect',
      'BROKEN: there is at most one effect',
    ]);
  });

  test('a crash, with a lease of any length: two effects', () => {
    expect(search(lease(3, 'expire after a crash')).counterexample).toEqual([
      'attempt 1 takes the key, with a lease',
      'attempt 1 reads version 0',
      'attempt 1 makes the effect',
      'attempt 1 crashes',
      'the lease of attempt 1 expires',
      'attempt 2 takes the key over',
      'attempt 2 reads version 1',
      'attempt 2 makes the effect',
      'BROKEN: there is at most one effect',
    ]);
  });
});
