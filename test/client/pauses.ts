import { jest } from '@jest/globals';

export interface Pause {
  readonly ms: number;
  end(): void;
}

/**
 * Replaces the timer of the pauses of a client (client/source/retry.ts) until `jest.restoreAllMocks`.
 * @param end called with each pause, which lasts until its `end`; by default it ends at once
 * @returns the pauses
 */
export const replacePauses = (end: (pause: Pause) => void = (pause) => pause.end()): readonly Pause[] => {
  const pauses: Pause[] = [];
  const schedule = setTimeout;
  const replaced = (act: () => void, ms?: number, ...rest: unknown[]) => {
    if (!new Error().stack?.includes('/client/source/retry.ts')) return schedule(act, ms, ...(rest as []));
    const pause = { ms: ms ?? 0, end: () => void schedule(act) };
    pauses.push(pause);
    end(pause);
    return undefined;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(replaced as typeof setTimeout);
  return pauses;
};
