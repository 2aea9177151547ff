/** Samples of the floor and of the service, in microseconds; those at one place were taken one after the other. */
export interface Samples {
  readonly floor: number[];
  readonly service: number[];
}

export const SUBJECTS = ['floor', 'service'] as const;

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

export const least = (values: readonly number[]): number => Math.min(...values);

export const median = (values: readonly number[]): number => {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return ((sorted[middle] as number) + (sorted[(sorted.length - 1) >> 1] as number)) / 2;
};

/** The service by the floor, in three ways that noise bends differently. */
export const ratios = ({ floor, service }: Samples) => ({
  medians: median(service) / median(floor),
  minima: least(service) / least(floor),
  /** The median of the ratios of neighbours, which shared whatever else the machine was doing. */
  pairs: median(service.map((value, i) => value / (floor[i] as number))),
});

/** Is told how many rounds are done, and of how many. */
export type Progress = (done: number, of: number) => void;

/** Takes the samples of both by turns, the one first and then the other, so that both meet the same noise. */
export const interleaved = async (
  rounds: number,
  sample: (subject: (typeof SUBJECTS)[number]) => Promise<number>,
  progress: Progress,
): Promise<Samples> => {
  const samples: Samples = { floor: [], service: [] };
  for (let round = 0; round < rounds; round++) {
    progress(round, rounds);
    for (const subject of round % 2 === 0 ? SUBJECTS : SUBJECTS.toReversed()) {
      samples[subject].push(await sample(subject));
    }
  }
  return samples;
};
