import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '#infra/operations/deployment.ts';
import { type Counts, countParts, eraseParts, partsOf, type Report } from './parts.ts';

/**
 * The time after which no row and no file of work from before the erasure can appear: requests and workers have ended.
 * S3 has also ended; it may take minutes to complete an upload after the worker of the export has stopped waiting.
 */
export const SETTLE_MS = 600_000;

interface EraseOptions {
  readonly report?: Report;
  /** The pause before the count. */
  readonly settle?: () => Promise<unknown>;
}

/**
 * Erases the data of an account, waits until no earlier work can store anything, and counts the rest. Another erasure
 * completes an interrupted one.
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
