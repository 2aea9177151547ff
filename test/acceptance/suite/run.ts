import { type Check, type Group, Skipped } from './check.ts';
import { type Deployment, type GroupService, serviceOf } from './service.ts';

/** `too slow`: the check failed after a request or a delivery timed out, so the service may still be correct. */
export type Outcome = 'passed' | 'failed' | 'too slow' | 'skipped';

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
/** Runs of a check whose requests time out. */
const MAX_RUNS = 3;
/** Groups that run at the same time. */
const CONCURRENCY = 6;

class CheckTimeout extends Error {}

const withTimeout = async (work: Promise<void>): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CheckTimeout(`The check took more than ${CHECK_MS} ms.`)), CHECK_MS);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
};

type Ended = Pick<Result, 'outcome' | 'reason'>;

const outcomeOf = (error: unknown, service: GroupService): Ended => {
  if (error instanceof Skipped) return { outcome: 'skipped', reason: error.message };
  const reason = [(error as Error).message, 'Last requests:', ...service.lastRequests()].join('\n');
  return { outcome: error instanceof CheckTimeout || service.hasTimedOut() ? 'too slow' : 'failed', reason };
};

const runOnce = async ({ run }: Check, service: GroupService): Promise<Ended> => {
  const ended = await withTimeout(run(service)).then(
    (): Ended => ({ outcome: 'passed', reason: '' }),
    (error: unknown) => outcomeOf(error, service),
  );
  await service.endCheck();
  return ended;
};

/** Runs a check, again if it was too slow: each run creates what it needs. */
export const runCheck = async (group: string, one: Check, service: GroupService): Promise<Result> => {
  const start = performance.now();
  let ended = await runOnce(one, service);
  for (let run = 1; run < MAX_RUNS && ended.outcome === 'too slow'; run++) ended = await runOnce(one, service);
  const { clause, title } = one;
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
