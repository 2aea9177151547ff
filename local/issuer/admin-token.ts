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
