import { describe, expect, test } from '@jest/globals';
import { lease } from './lease.ts';
import { type Safeguards, protocol, type State } from './protocol.ts';
import { search } from './search.ts';

describe('§4 Idempotency: the record in the same transaction as its effect', () => {
  test.each([
    ['three attempts at one operation', ['A', 'A', 'A']],
    ['two, and one with another body', ['A', 'A', 'B']],
  ])('%s: no order of steps, no crash, no lost answer breaks it', (_, bodies) => {
    for (const due of [1, 2, 3]) {
      const { states, counterexample } = search(protocol(bodies, due));
      expect(counterexample).toBeUndefined();
      expect(states).toBeGreaterThan(500);
    }
  });

  test('the search meets what it is about: a crash after the commit, and a retry that replays', () => {
    const reached = ({ attempts: [first, second] }: State) =>
      first?.at === 'crashed' &&
      second?.reply &&
      'success' in second.reply &&
      second.reply.success.startsWith('attempt 1');
    const broken = (state: State) => (reached(state) ? 'reached' : undefined);
    expect(search({ ...protocol(['A', 'A'], 2), broken }).counterexample).toEqual([
      'attempt 1 reads version 0 and sends its transaction',
      "attempt 1's transaction, unheard: committed",
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
        'BROKEN: what is due agrees with the payments',
      ],
    ],
    [
      'lookUpBeforeRefusing',
      1,
      [
        'attempt 1 reads version 0 and sends its transaction',
        "attempt 1's transaction: committed",
        'attempt 2 reads that nothing is due',
        'attempt 2 refuses the payment',
        'BROKEN: every reply to the key equals the first committed reply',
      ],
    ],
  ])('without %s it breaks', (without, due, shortest) => {
    expect(search(protocol(['A', 'A', 'A'], due, { [without]: false })).counterexample).toEqual(shortest);
  });
});

describe('a lease instead: in-progress record, effect, completed record', () => {
  test('makes the effect twice when the lease runs out on a holder that is only slow', () => {
    expect(search(lease(3, 'run out on the slow')).counterexample).toEqual([
      'attempt 1 takes the key, with a lease',
      'attempt 1 reads version 0',
      'attempt 1 makes the effect',
      'the lease of attempt 1 runs out',
      'attempt 2 takes the key over',
      'attempt 2 reads version 1',
      'attempt 2 makes the effect',
      'BROKEN: there is at most one effect',
    ]);
  });

  test('makes the effect twice after a crash, however long the lease', () => {
    expect(search(lease(3, 'outlast the slow')).counterexample).toEqual([
      'attempt 1 takes the key, with a lease',
      'attempt 1 reads version 0',
      'attempt 1 makes the effect',
      'attempt 1 crashes',
      'the lease of attempt 1 runs out',
      'attempt 2 takes the key over',
      'attempt 2 reads version 1',
      'attempt 2 makes the effect',
      'BROKEN: there is at most one effect',
    ]);
  });
});
