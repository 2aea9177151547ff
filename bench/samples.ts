/** Samples of each subject, in microseconds. Samples at the same index were taken in sequence. */
export type SamplesOf<S extends string> = Readonly<Record<S, number[]>>;

export type Samples = SamplesOf<(typeof SUBJECTS)[number]>;

export const SUBJECTS = ['baseline', 'service'] as const;

/** @param of the number of rounds */
export type Progress = (done: number, of: number) => void;

/** Samples the subjects alternately, in both orders, so that noise of the machine affects all of them. */
export const sampleAlternately = async <S extends string>(
  subjects: readonly S[],
  rounds: number,
  sample: (subject: S) => Promise<number>,
  progress: Progress,
): Promise<SamplesOf<S>> => {
  const samples = Object.fromEntries(subjects.map((subject) => [subject, [] as number[]])) as Record<S, number[]>;
  for (let round = 0; round < rounds; round++) {
    progress(round, rounds);
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      samples[subject].push(await sample(subject));
    }
  }
  return samples;
};

/** The service relative to the baseline. Noise affects the three ratios differently. */
export const ratios = ({ baseline, service }: Samples) => ({
  medians: median(service) / median(baseline),
  minima: minimum(service) / minimum(baseline),
  /** The median of the ratios of neighbouring samples, which had the same noise. */
  pairs: median(service.map((value, i) => value / (baseline[i] as number))),
});

export const minimum = (values: readonly number[]): number => Math.min(...values);

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle] as number) + (sorted[(sorted.length - 1) >> 1] as number)) / 2;
};
