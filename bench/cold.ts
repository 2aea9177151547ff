import type { Builds } from './builds.ts';
import { interleaved, type Progress, type Samples, SUBJECTS } from './samples.ts';
import { type Call, start } from './subject.ts';

/** The CPU time of a cold start: a fresh process for each sample, from its start to its first answer. */
export const cold = (builds: Builds, call: Call, rounds: number, progress: Progress): Promise<Samples> =>
  interleaved(
    SUBJECTS,
    rounds,
    async (subject) => {
      const { first, stop } = await start(builds[subject], call);
      await stop();
      return first;
    },
    progress,
  );
