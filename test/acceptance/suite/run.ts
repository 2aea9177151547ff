import { type Check, type Group, Skipped } from './check.ts';
import { type Deployment, type GroupService, serviceOf } from './service.ts';

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface Result {
  readonly group: string;
  readonly clause: string;
  readonly title: string;
  readonly outcome: Outcome;
  /** Why the check did not pass. */
  readonly reason: string;
  readonly ms: number;
}

const CHECK_MS = 120_000;
/** Groups that run at the same time. */
const CONCURRENCY = 6;

const withTimeout = async (work: Promise<void>): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`The check took more than ${CHECK_MS} ms.`)), CHECK_MS);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};

type Ended = Pick<Result, 'outcome' | 'reason'>;

const outcomeOf = (error: unknown, service: GroupService): Ended => {
  if (error instanceof Skipped) return { outcome: 'skipped', reason: error.message };
  return {
    outcome: 'failed',
    reason: [(error as Error).message, 'Last requests:', ...service.lastRequests()].join('\n'),
  };
};

export const runCheck = async (group: string, one: Check, service: GroupService): Promise<Result> => {
  const start = performance.now();
  const { clause, title, run } = one;
  const ended = await withTimeout(run(service)).then(
    (): Ended => ({ outcome: 'passed', reason: '' }),
    (error: unknown) => outcomeOf(error, service),
  );
  await service.endCheck();
  return { group, clause, title, ...ended, ms: Math.round(performance.now() - start) };
};

interface RunOptions {
  /** Groups that run at the same time; 1 if they share accounts. */
  readonly concurrency?: number;
  /** Stops at the first failure. */
  readonly bail?: boolean;
  onGroup?(group: Group, results: readonly Result[]): void;
}

/** Runs all checks. A check never stops the others, unless `bail` is set. */
export const runGroups = async (
  deployment: Deployment,
  groups: readonly Group[],
  { concurrency = CONCURRENCY, bail = false, onGroup }: RunOptions = {},
): Promise<Result[]> => {
  const queue = [...groups];
  const results: Result[] = [];
  const hasEnded = () => bail && results.some(({ outcome }) => outcome === 'failed');
  const work = async () => {
    for (let group = queue.shift(); group && !hasEnded(); group = queue.shift()) {
      const service = serviceOf(deployment, group.name);
      const own: Result[] = [];
      for (const one of group.checks) {
        if (hasEnded()) break;
        const result = await runCheck(group.name, one, service);
        own.push(result);
        results.push(result);
      }
      await service.endGroup();
      onGroup?.(group, own);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
};
