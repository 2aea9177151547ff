import { randomUUID } from 'node:crypto';
import { claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { readStorage } from '#local/settings/settings.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import { Skipped } from './suite/check.ts';
import type { Deployment } from './suite/service.ts';
import { cachedTokens, type TokenSource, tokenCommand } from './suite/tokens.ts';
import { httpTransport } from './suite/transport.ts';

export interface Target {
  readonly url: string;
  /** Prints a token; without it, the local issuer signs them. */
  readonly command: string | undefined;
  /** The only two accounts that the command issues tokens for; without them, each group has its own. */
  readonly accounts: readonly string[];
}

/** Tokens of `npm run token`, without a process for each. */
const localTokens = async (): Promise<TokenSource> => {
  const issuer = await openIssuer(readStorage(process.env).directory);
  return ({ seconds = 3600, claims, ...bearer }) =>
    issuer.sign({ ...claimsOf(bearer, seconds, process.env), ...claims });
};

/** Account ids that contain the run, so that another run finds no data of this one. */
const accountsOf = (fixed: readonly string[]): Deployment['accountOf'] => {
  const run = randomUUID().slice(0, 8);
  if (fixed.length === 0) {
    return (group, name) => `acceptance_${run}_${group.replace(/\W+/g, '-').slice(0, 30)}_${name}`;
  }
  const [own = '', other] = fixed;
  return (_, name) => {
    const account = name === 'own' ? own : name === 'other' ? other : undefined;
    if (account === undefined) throw new Skipped(`there is no account "${name}": --accounts names the only ones`);
    return account;
  };
};

/** A machine client has no role: it gets all scopes. */
const permissionsOf = async (tokens: TokenSource, account: string): Promise<Deployment['permissions']> => {
  try {
    await tokens({ account, sub: 'user_1', role: 'admin' });
    return { role: 'admin' };
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    const scope = ROLE_SCOPES.admin.join(' ');
    await tokens({ account, sub: 'user_1', scope });
    return { scope };
  }
};

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** @throws Skipped if there is no token at all */
export const openDeployment = async ({ url, command, accounts }: Target): Promise<Deployment> => {
  const tokens = cachedTokens(command === undefined ? await localTokens() : tokenCommand(command));
  const accountOf = accountsOf(accounts);
  return {
    transport: httpTransport(url),
    tokens,
    accountOf,
    isLocal: LOOPBACK.includes(new URL(url).hostname),
    permissions: await permissionsOf(tokens, accountOf('start', 'own')),
  };
};

/** A deployment that issues no tokens. */
export const publicDeployment = (url: string): Deployment => ({
  transport: httpTransport(url),
  tokens: async () => {
    throw new Skipped('it needs a token');
  },
  accountOf: () => '',
  isLocal: false,
  permissions: {},
});
