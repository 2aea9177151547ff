import { claimsOf } from './claims.ts';
import type { Issuer } from './issuer.ts';

const A_DAY_S = 86_400;

/**
 * An admin's token for a day.
 * @param issuer the local one; without it tokens are another one's business, and a placeholder says whose
 */
export const adminToken = async (issuer: Issuer | undefined, account: string, sub: string): Promise<string> =>
  issuer
    ? issuer.sign(claimsOf({ account, sub, role: 'admin' }, A_DAY_S, process.env))
    : `<a token of ${process.env['ISSUER']}>`;

/** Who a visitor of the local documentation may be: of each demo account somebody who may do everything, and others. */
const BEARERS = [
  { account: 'acct_1', sub: 'user_1', role: 'admin' },
  { account: 'acct_1', sub: 'user_2', role: 'clerk' },
  { account: 'acct_1', sub: 'user_3', role: 'viewer' },
  { account: 'acct_2', sub: 'user_4', role: 'admin' },
] as const;

/** A token, and what a visitor chooses it by. */
export interface DemoToken {
  readonly name: string;
  readonly token: string;
}

/** Tokens for a day, the most usual one first. */
export const demoTokens = (issuer: Issuer): Promise<DemoToken[]> =>
  Promise.all(
    BEARERS.map(async (bearer) => ({
      name: `${bearer.account}, ${bearer.role}`,
      token: await issuer.sign(claimsOf(bearer, A_DAY_S, process.env)),
    })),
  );
