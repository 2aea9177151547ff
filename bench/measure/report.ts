import type { Progress } from './samples.ts';

export interface Report {
  print(line?: string): void;
  /** Aligns cells in columns. */
  row(...cells: readonly (string | number)[]): string;
  progress(task: string): Progress;
}

/** The target of a figure that must be small, and whether the figure misses it. */
export const atMost = (measured: number, target: number): string =>
  `  target ≤ ${target}${measured <= target ? '' : ', MISSED'}`;
