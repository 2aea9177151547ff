import { randomUUID } from 'node:crypto';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { readStorage } from '#local/settings/settings.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { hasAll } from './capabilities.ts';
import type { OpenDeployment } from './open-service.ts';
import { cachedTokens, type TokenSource, tokenCommand } from './tokens.ts';
import { httpTransport } from './transport.ts';

/** Tokens of `npm run token`, without a process for each. */
const localTokens = async (): Promise<TokenSource> => {
  const issuer = await openIssuer(readStorage(process.env).directory);
  return ({ seconds = 3600, claims, ...bearer }) =>
    issuer.sign({ ...claimsOf(bearer, seconds, process.env), ...claims });
};

/** New account ids for each test file, unless `ACCOUNTS` names the only two that the token command knows. */
const accounts = ({ ACCOUNTS }: NodeJS.ProcessEnv): OpenDeployment['accountOf'] => {
  const run = randomUUID().slice(0, 8);
  if (!ACCOUNTS) return (name = 'own') => `acceptance_${run}_${name}`;
  const [own, other] = ACCOUNTS.split(',');
  return (name = 'own') => {
    const account = { own, other }[name];
    if (account === undefined) throw new Error(`ACCOUNTS names no account "${name}".`);
    return account;
  };
};

/**
 * Opens the service at `BASE_URL`. `TOKEN_COMMAND` prints its tokens; without it, the local issuer signs them.
 * A machine client has no role: it gets all scopes.
 */
export const openDeployed = async (environment: NodeJS.ProcessEnv): Promise<OpenDeployment> => {
  const { BASE_URL = '', TOKEN_COMMAND } = environment;
  return {
    transport: httpTransport(BASE_URL),
    tokens: cachedTokens(TOKEN_COMMAND ? tokenCommand(TOKEN_COMMAND) : await localTokens()),
    accountOf: accounts(environment),
    permissions: hasAll(['roles']) ? { role: 'admin' } : { scope: ROLE_SCOPES.admin.join(' ') },
    isTemporary: false,
    stop: async () => {},
  };
};
