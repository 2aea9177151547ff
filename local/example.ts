import { claimsOf } from './claims.ts';
import type { Issuer } from './issuer.ts';

const A_DAY_S = 86_400;

/**
 * A first request to the service, ready to paste.
 * @param issuer signs its token; where another one is configured, that one's is asked for
 */
export const example = async (url: string, issuer: Issuer | undefined): Promise<string> => {
  const claims = claimsOf({ account: 'acct_1', sub: 'user_1', role: 'admin' }, A_DAY_S, process.env);
  const token = issuer ? await issuer.sign(claims) : `<a token of ${process.env['ISSUER']}>`;
  return `curl ${url}/v1/invoices -H 'Authorization: Bearer ${token}'`;
};
