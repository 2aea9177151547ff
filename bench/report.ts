import type { Progress } from './samples.ts';

/** How the bench prints. */
export interface Report {
  say(line?: string): void;
  row(...cells: readonly (string | number)[]): string;
  progress(task: string): Progress;
}

const reportLine = (target: string, isMet: boolean): string => `  target ${target}${isMet ? '' : ', MISSED'}`;

/** What a figure is held against, and whether it misses that. */
export const atMost = (measured: number, target: number): string => reportLine(`≤ ${target}`, measured <= target);

/** The same of one that is to be large. */
export const atLeast = (measured: number, target: number): string => reportLine(`≥ ${target}`, measured >= target);
