import type { Progress } from '#local/cli/progress.ts';
import type { Handle } from '#local/gateway/handle.ts';
import { inProcessClient } from './in-process-client.ts';
import { load } from './load.ts';
import { type CustomerPlan, type PlanSize, planOf } from './plan.ts';
import { BUSINESSES } from './vocabulary.ts';

const DEFAULT_SIZE: PlanSize = { customers: 100, invoicesEach: 10 };
const stepsOf = (plan: readonly CustomerPlan[]): number =>
  plan.reduce((steps, { invoices }) => steps + 1 + invoices.length, 0);

/**
 * Loads the missing rows of the demo accounts through the handlers of the endpoints.
 * @param start shows the progress of a number of steps
 * @param signal stops the load early, without an error
 * @returns whether any row was missing
 */
export const seed = async (
  handle: Handle,
  tokenOf: (account: string) => Promise<string>,
  start: (steps: number) => Progress,
  signal: AbortSignal,
  size: PlanSize = DEFAULT_SIZE,
): Promise<boolean> => {
  const today = new Date();
  const accounts = BUSINESSES.map((business) => ({ ...business, plan: planOf(business, size, today) }));
  const progress = start(accounts.reduce((sum, { plan }) => sum + stepsOf(plan), 0));
  const loaded = await Promise.all(
    accounts.map(async ({ account, plan }) =>
      load(inProcessClient(handle, await tokenOf(account)), plan, progress, signal),
    ),
  );
  return loaded.some(Boolean);
};
