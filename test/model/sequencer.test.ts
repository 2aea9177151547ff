import { describe, expect, test } from '@jest/globals';
import { search } from './search.ts';
import { type Commit, type Safeguards, type State, sequencing } from './sequencer.ts';

const on = (id: number, ...resources: number[]): Commit => ({ id, resources });

type Scenario = readonly [name: string, writers: readonly (readonly Commit[])[]];

const IN_ORDER: Scenario = ['one resource, clocks agree', [[on(1, 0), on(2, 0), on(3, 0)]]];
const DISAGREEING: Scenario = ['two writers of one resource, clocks disagree', [[on(1, 0), on(3, 0)], [on(2, 0)]]];
const SCENARIOS: readonly Scenario[] = [
  ['two writers that take the same id', [[on(1, 0), on(2, 0)], [on(1, 1)]]],
  IN_ORDER,
  ['one resource, ids go backwards', [[on(3, 0), on(2, 0), on(1, 0)]]],
  DISAGREEING,
  ['two resources that one commit joins', [[on(3, 0), on(1, 0, 1)], [on(2, 1)]]],
];
/** `ALL_SCENARIOS=1` adds these, which take minutes. */
const LARGE: readonly Scenario[] = [
  [
    'two writers with two commits each, clocks disagree',
    [
      [on(1, 0), on(4, 0)],
      [on(2, 0), on(3, 0)],
    ],
  ],
  ['two resources that are joined twice, ids go backwards', [[on(4, 0), on(3, 0, 1), on(2, 1), on(1, 0, 1)]]],
];

describe('the sequencer [CONTRACT §14]', () => {
  test.each([...SCENARIOS, ...(process.env['ALL_SCENARIOS'] ? LARGE : [])])(
    '%s: no invariant breaks, with two sequencers, deaths and lost responses',
    (_, writers) => {
      const { states, counterexample } = search(sequencing(writers, 2));
      expect(counterexample).toBeUndefined();
      expect(states).toBeGreaterThan(1000);
    },
  );

  test('the search reaches a published row that its sequencer does not delete', () => {
    const reached = ({ outbox, head, sequencers }: State) =>
      outbox.length > 0 && head.published.length > 0 && sequencers.every(({ published }) => published.length === 0);
    const broken = (state: State) => (reached(state) ? 'reached' : undefined);
    expect(search({ ...sequencing(IN_ORDER[1], 1), broken }).counterexample?.slice(-2)).toEqual([
      'sequencer 1 publishes the rows 1, response lost',
      'BROKEN: reached',
    ]);
  });
});

describe('a sequencer without one safeguard', () => {
  test.each<[keyof Safeguards, string]>([
    ['secondRead', 'BROKEN: events are in version order'],
    ['headUnchanged', 'BROKEN: an event is published once'],
    ['headNamesPublished', 'BROKEN: an event is published once'],
    ['namesHaveWrites', 'BROKEN: every commit becomes an event'],
    ['deletionChecksWrite', 'BROKEN: every commit becomes an event'],
  ])('without %s: an invariant breaks in some scenario', (without, invariant) => {
    const end = ([, writers]: Scenario) => search(sequencing(writers, 2, { [without]: false })).counterexample?.at(-1);
    expect(SCENARIOS.some((scenario) => end(scenario) === invariant)).toBe(true);
  });

  test('one read misorders: it passes the place of a row before the row is committed', () => {
    expect(search(sequencing(DISAGREEING[1], 1, { secondRead: false })).counterexample).toEqual([
      'writer 2 commits row 2: resource 0 to version 1',
      'sequencer 1 reads row 2 (first read)',
      'writer 1 commits row 1: resource 0 to version 2',
      'writer 1 commits row 3: resource 0 to version 3',
      'sequencer 1 reads row 3 (first read)',
      'sequencer 1 reads the head (first read)',
      'sequencer 1 sends the rows 2,3',
      'sequencer 1 publishes the rows 2,3',
      'BROKEN: events are in version order',
    ]);
  });
});
