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

/** By then V8 has compiled what it will. */
const WARM_UP = 2000;
const CALLS = 100;
const ROUNDS = 20;

/**
 * The CPU time of one warm call: in each of some processes of both subjects, rounds of calls by turns. How V8 compiles
 * differs from process to process, so that one alone says much about itself.
 */
export const warm = async (builds: Builds, call: Call, processes: number, progress: Progress): Promise<Samples> => {
  const samples: Samples = { baseline: [], service: [] };
  for (let i = 0; i < processes; i++) {
    const taken = await compared(builds, call, (done) => progress(i * ROUNDS + done, processes * ROUNDS));
    for (const name of SUBJECTS) samples[name].push(...taken[name]);
  }
  return samples;
};

/** One process of each subject, warmed up. */
const compared = async (builds: Builds, call: Call, progress: Progress): Promise<Samples> => {
  const [baseline, service] = await Promise.all([start(builds.baseline, call), start(builds.service, call)]);
  const subjects = { baseline, service };
  await Promise.all(SUBJECTS.map((name) => subjects[name].run(WARM_UP)));
  const samples = await interleaved(
    SUBJECTS,
    ROUNDS,
    async (name) => (await subjects[name].run(CALLS)) / CALLS,
    progress,
  );
  await Promise.all(SUBJECTS.map((name) => subjects[name].stop()));
  return samples;
};
