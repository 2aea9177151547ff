import Sequencer from '@jest/test-sequencer';

const isLongest = ({ path }) => path.includes('/test/acceptance/acceptance-');

/** Starts the longest suites first. Without the times of an earlier run, Jest starts the largest files first. */
export default class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => Number(isLongest(b)) - Number(isLongest(a)));
  }
}
