import Sequencer from '@jest/test-sequencer';

const LONGEST = 'test/acceptance/acceptance.test.ts';
const isLongest = ({ path }) => path.endsWith(LONGEST);

/** Starts the longest suite first. Without the times of an earlier run, Jest starts the largest files first. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}
