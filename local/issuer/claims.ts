import { localIdentity, readSettings, unsetVariables } from '#local/settings/settings.ts';
import { writeClaim } from '#shared/platform/http/auth/claims.ts';
import { type Environment, identity } from '#shared/runtime/settings.ts';

export interface Bearer {
  readonly account: string;
  readonly sub: string;
  readonly scope?: string | undefined;
  readonly role?: string | undefined;
}

const withPrefix = (scope: string, prefix: string): string =>
  scope
    .split(' ')
    .map((name) => prefix + name)
    .join(' ');

/** `localIdentity` needs a URL, but a token does not contain it. */
const ANYWHERE = 'http://127.0.0.1';

/**
 * The claims of an access token that the service accepts, with the environment's claim names.
 * @param seconds lifetime from now; negative for an expired token
 */
export const claimsOf = (bearer: Bearer, seconds: number, environment: Environment): Record<string, unknown> => {
  const filled = { ...environment, ...unsetVariables(environment, localIdentity(ANYWHERE)) };
  const { issuer, audience, claims: names, scopePrefix } = readSettings(identity, filled);
  const now = Math.floor(Date.now() / 1000);
  const { account, sub, scope, role } = bearer;
  const claims = { iss: issuer, iat: now, exp: now + seconds, sub };
  writeClaim(claims, names.audience, audience);
  writeClaim(claims, names.account, account);
  if (scope !== undefined) writeClaim(claims, names.scope[0] as string, withPrefix(scope, scopePrefix));
  if (role !== undefined) writeClaim(claims, names.role, role);
  return claims;
};
