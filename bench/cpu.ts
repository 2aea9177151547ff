import { LAMBDA_DEFAULTS, nodeOptions } from '#shared/runtime/defaults.ts';
import type { Builds } from './measure/builds.ts';
import { type Progress, type Samples, SUBJECTS, sampleAlternately } from './measure/samples.ts';
import { type LambdaCall, startSubject } from './measure/subject.ts';

/** Measures the CPU time of a cold start: a new process for each sample, from its start to its first response. */
export const measureColdStarts = (
  builds: Builds,
  call: LambdaCall,
  rounds: number,
  progress: Progress,
): Promise<Samples> =>
  sampleAlternately(
    rounds,
    async (subject) => {
      const { first, stop } = await startSubject(builds[subject], call, nodeOptions(LAMBDA_DEFAULTS.memory_mb));
      await stop();
      return first;
    },
    progress,
  );

/** After this many calls V8 has compiled the hot code. */
const WARM_UP = 2000;
const CALLS = 100;
const ROUNDS = 20;

/**
 * Measures the CPU time of one warm call, alternately in a process of each subject. It uses several such pairs, because
 * V8 compiles differently in each process.
 */
export const measureWarmCalls = async (
  builds: Builds,
  call: LambdaCall,
  processes: number,
  progress: Progress,
): Promise<Samples> => {
  const samples: Samples = { baseline: [], service: [] };
  for (let i = 0; i < processes; i++) {
    const pair = await measurePair(builds, call, (done) => progress(i * ROUNDS + done, processes * ROUNDS));
    for (const name of SUBJECTS) samples[name].push(...pair[name]);
  }
  return samples;
};

/** Samples one process of each subject after its warm-up. */
const measurePair = async (builds: Builds, call: LambdaCall, progress: Progress): Promise<Samples> => {
  const [baseline, service] = await Promise.all([
    startSubject(builds.baseline, call),
    startSubject(builds.service, call),
  ]);
  const subjects = { baseline, service };
  await Promise.all(SUBJECTS.map((name) => subjects[name].run(WARM_UP)));
  const samples = await sampleAlternately(ROUNDS, async (name) => (await subjects[name].run(CALLS)) / CALLS, progress);
  await Promise.all(SUBJECTS.map((name) => subjects[name].stop()));
  return samples;
};
