import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '#infra/operations/deployment.ts';
import { type Counts, countParts, eraseParts, partsOf, type Report } from './parts.ts';

/**
 * The time after which nothing can appear that was begun before the erasure: requests and workers have ended, and so has S3,
 * which may take minutes to complete an upload after the worker of the export has stopped waiting for it.
 */
export const SETTLE_MS = 600_000;

interface EraseOptions {
  readonly report?: Report;
  /** The pause before the count. */
  readonly settle?: () => Promise<unknown>;
}

/**
 * Erases the data of an account, waits until nothing that was begun before can appear, and counts what is left. If the
 * erasure is interrupted, another one completes it.
 * @returns the number of rows and objects that are left
 */
export const eraseAccount = async (
  deployment: Deployment,
  account: string,
  { report, settle = () => sleep(SETTLE_MS) }: EraseOptions = {},
): Promise<Counts> => {
  const parts = partsOf(deployment, account);
  await eraseParts(parts, report);
  await settle();
  return countParts(parts);
};
