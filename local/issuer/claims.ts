import { localIdentity, missing, readSettings } from '#local/settings/settings.ts';
import { type Environment, identity } from '#shared/lambda/settings.ts';

/** Who a token is for. */
export interface Bearer {
  readonly account: string;
  readonly sub: string;
  readonly scope?: string | undefined;
  readonly role?: string | undefined;
}

/** Where the service listens is no part of a token. */
const ANYWHERE = 'http://127.0.0.1';

/**
 * The claims of an access token that the service takes, under the names that the environment gives them.
 * @param seconds how long it is valid from now; negative for one that has expired
 * @throws Failure for a malformed environment
 */
export const claimsOf = (bearer: Bearer, seconds: number, environment: Environment): Record<string, unknown> => {
  const filled = { ...environment, ...missing(environment, localIdentity(ANYWHERE)) };
  const { issuer, audience, claims } = readSettings(identity, filled);
  const now = Math.floor(Date.now() / 1000);
  const { account, sub, scope, role } = bearer;
  return {
    iss: issuer,
    aud: audience,
    iat: now,
    exp: now + seconds,
    sub,
    [claims.account]: account,
    ...(scope !== undefined && { [claims.scope]: scope }),
    ...(role !== undefined && { [claims.role]: role }),
  };
};
