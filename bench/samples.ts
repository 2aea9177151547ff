/** Samples of each subject, in microseconds; those at one place were taken one after the other. */
export type Sampled<S extends string> = Readonly<Record<S, number[]>>;

export type Samples = Sampled<(typeof SUBJECTS)[number]>;

export const SUBJECTS = ['baseline', 'service'] as const;

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

export const least = (values: readonly number[]): number => Math.min(...values);

export const median = (values: readonly number[]): number => {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return ((sorted[middle] as number) + (sorted[(sorted.length - 1) >> 1] as number)) / 2;
};

/** The service by the baseline, in three ways that noise bends differently. */
export const ratios = ({ baseline, service }: Samples) => ({
  medians: median(service) / median(baseline),
  minima: least(service) / least(baseline),
  /** The median of the ratios of neighbours, which shared whatever else the machine was doing. */
  pairs: median(service.map((value, i) => value / (baseline[i] as number))),
});

/** Is told how many rounds are done, and of how many. */
export type Progress = (done: number, of: number) => void;

/** Takes the samples of all by turns, the one first and then the other, so that all meet the same noise. */
export const interleaved = async <S extends string>(
  subjects: readonly S[],
  rounds: number,
  sample: (subject: S) => Promise<number>,
  progress: Progress,
): Promise<Sampled<S>> => {
  const samples = Object.fromEntries(subjects.map((subject) => [subject, [] as number[]])) as Record<S, number[]>;
  for (let round = 0; round < rounds; round++) {
    progress(round, rounds);
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      samples[subject].push(await sample(subject));
    }
  }
  return samples;
};
