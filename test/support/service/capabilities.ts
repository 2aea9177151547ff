import { isDeep } from '#test/support/extent/extent.ts';

/**
 * Capabilities that a test may need, and that a deployment or the issuer of its tokens may lack. `npm test` has no time
 * for `fullExtent`, and a service in this process has all other capabilities.
 */
export type Capability =
  | 'tokens'
  | 'roles'
  | 'claims'
  | 'otherAccount'
  | 'newAccounts'
  | 'receiver'
  | 'smallBudget'
  | 'exactPaths'
  | 'fullExtent';

/** The variable with the capabilities that a deployment lacks. */
export const MISSING = 'MISSING_CAPABILITIES';

export const hasAll = (needs: readonly Capability[]): boolean => {
  const missing: readonly string[] = [...(process.env[MISSING] ?? '').split(','), ...(isDeep ? [] : ['fullExtent'])];
  return needs.every((need) => !missing.includes(need));
};
