import { claimsOf } from './claims.ts';
import type { Issuer } from './issuer.ts';

const DAY_S = 86_400;

/**
 * An admin's token for a day.
 * @param issuer the local issuer; without a local issuer, the result is a placeholder that names the other issuer
 */
export const adminToken = async (issuer: Issuer | undefined, account: string, sub: string): Promise<string> =>
  issuer
    ? issuer.sign(claimsOf({ account, sub, role: 'admin' }, DAY_S, process.env))
    : `<a token of ${process.env['ISSUER']}>`;

/** The callers that a visitor of the local docs page can choose from. */
const DEMO_BEARERS = [
  { account: 'acct_1', sub: 'user_1', role: 'admin' },
  { account: 'acct_1', sub: 'user_2', role: 'clerk' },
  { account: 'acct_1', sub: 'user_3', role: 'viewer' },
  { account: 'acct_2', sub: 'user_4', role: 'admin' },
] as const;

interface DemoToken {
  readonly name: string;
  readonly token: string;
}

/** Tokens for a day; the docs page selects the first token. */
export const demoTokens = (issuer: Issuer): Promise<DemoToken[]> =>
  Promise.all(
    DEMO_BEARERS.map(async (bearer) => ({
      name: `${bearer.account}, ${bearer.role}`,
      token: await issuer.sign(claimsOf(bearer, DAY_S, process.env)),
    })),
  );
