import type { Progress } from './samples.ts';

export interface Report {
  print(line?: string): void;
  /** Aligns cells in columns. */
  row(...cells: readonly (string | number)[]): string;
  progress(task: string): Progress;
}

/** The target of a figure that must be small, and whether the figure misses it. */
export const atMost = (measured: number, target: number): string => formatTarget(`≤ ${target}`, measured <= target);

/** The target of a figure that must be large, and whether the figure misses it. */
export const atLeast = (measured: number, target: number): string => formatTarget(`≥ ${target}`, measured >= target);

const formatTarget = (target: string, isMet: boolean): string => `  target ${target}${isMet ? '' : ', MISSED'}`;
