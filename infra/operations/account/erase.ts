import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '#infra/operations/deployment.ts';
import { type Counts, countParts, eraseParts, partsOf, type Report } from './parts.ts';

/**
 * The time after which requests and workers that have read the account's rows before they were erased have ended. A
 * worker that writes a file runs longer, but its next heartbeat notices that its export is gone.
 */
export const SETTLE_MS = 70_000;

interface Options {
  readonly report?: Report;
  readonly settleMs?: number;
}

/**
 * Erases the data of an account, waits until requests and workers have ended, and counts what they have left. If the
 * erasure is interrupted, another one completes it.
 * @returns the number of rows and objects that are left
 */
export const eraseAccount = async (
  deployment: Deployment,
  account: string,
  { report, settleMs = SETTLE_MS }: Options = {},
): Promise<Counts> => {
  const parts = partsOf(deployment, account);
  await eraseParts(parts, report);
  await sleep(settleMs);
  return countParts(parts);
};
