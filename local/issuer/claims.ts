import { localIdentity, readSettings, unsetVariables } from '#local/settings/settings.ts';
import { type Environment, identity } from '#shared/runtime/settings.ts';

export interface Bearer {
  readonly account: string;
  readonly sub: string;
  readonly scope?: string | undefined;
  readonly role?: string | undefined;
}

/** `localIdentity` needs a URL, but a token does not contain it. */
const ANYWHERE = 'http://127.0.0.1';

/**
 * The claims of an access token that the service accepts, with the environment's claim names.
 * @param seconds lifetime from now; negative for an expired token
 */
export const claimsOf = (bearer: Bearer, seconds: number, environment: Environment): Record<string, unknown> => {
  const filled = { ...environment, ...unsetVariables(environment, localIdentity(ANYWHERE)) };
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
