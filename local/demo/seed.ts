import type { Progress } from '#local/cli/progress.ts';
import type { Router } from '#local/gateway/invoke.ts';
import { inProcessClient } from './in-process-client.ts';
import { load } from './load.ts';
import { type CustomerPlan, type Extent, planOf } from './plan.ts';
import { BUSINESSES } from './vocabulary.ts';

/** Of each account: 100 customers with 1,000 invoices. */
const EXTENT: Extent = { customers: 100, invoicesEach: 10 };
const stepsOf = (plan: readonly CustomerPlan[]): number =>
  plan.reduce((steps, { invoices }) => steps + 1 + invoices.length, 0);

/**
 * Loads the demo accounts through the endpoints' own handlers, or what they still lack.
 * @param tokenOf an admin's token for an account
 * @param start begins to show the progress of so many steps
 * @param signal ends it early, and quietly
 * @returns whether anything was lacking
 * @throws Failure when the service refuses something
 */
export const seed = async (
  route: Router,
  tokenOf: (account: string) => Promise<string>,
  start: (steps: number) => Progress,
  signal: AbortSignal,
  extent: Extent = EXTENT,
): Promise<boolean> => {
  const today = new Date();
  const accounts = BUSINESSES.map((business) => ({ ...business, plan: planOf(business, extent, today) }));
  const progress = start(accounts.reduce((sum, { plan }) => sum + stepsOf(plan), 0));
  const loaded = await Promise.all(
    accounts.map(async ({ account, plan }) =>
      load(inProcessClient(route, await tokenOf(account)), plan, progress, signal),
    ),
  );
  return loaded.some(Boolean);
};
