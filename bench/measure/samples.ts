export const SUBJECTS = ['baseline', 'service'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

/** Samples of each subject, in microseconds. Samples at the same index were taken in sequence. */
export type Samples = Readonly<Record<SubjectName, number[]>>;

/** @param of the number of rounds */
export type Progress = (done: number, of: number) => void;

/** Samples the subjects alternately, in both orders, so that noise of the machine affects all of them. */
export const sampleAlternately = async (
  rounds: number,
  sample: (subject: SubjectName) => Promise<number>,
  progress: Progress,
): Promise<Samples> => {
  const samples: Samples = { baseline: [], service: [] };
  for (let round = 0; round < rounds; round++) {
    progress(round, rounds);
    for (const subject of round % 2 === 0 ? SUBJECTS : SUBJECTS.toReversed()) {
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
