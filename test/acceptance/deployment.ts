import { randomUUID } from 'node:crypto';
import { CliError } from '#local/cli/cli-error.ts';
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

/** Responds to any request, or is not the address of a service. */
const expectService = async (url: string): Promise<void> => {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (!['http:', 'https:'].includes(protocol))
    throw new CliError(`Expected --url to be the http or https address of a service, not ${url}.`, 2);
  try {
    await httpTransport(url)({ method: 'GET', target: '/', headers: {} });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(`No service responds at ${url}: ${code ?? message}.`, 2);
  }
};

const noToken = (error: unknown): never => {
  throw error instanceof Skipped ? new CliError(`No token: ${error.message}`, 2) : error;
};

const openTarget = async ({ url, accounts }: Target, tokens: TokenSource) => {
  await expectService(url);
  return { transport: httpTransport(url), tokens: cachedTokens(tokens), accountOf: accountsOf(accounts) };
};

/** @throws CliError if the service does not respond, or there is no token at all */
export const openDeployment = async (target: Target): Promise<Deployment> => {
  const { command } = target;
  const opened = await openTarget(target, command === undefined ? await localTokens() : tokenCommand(command));
  const permissions = await permissionsOf(opened.tokens, opened.accountOf('start', 'own')).catch(noToken);
  return { ...opened, permissions };
};

/** A service for which there is no token. */
export const openPublic = async (target: Target): Promise<Deployment> => {
  const tokens: TokenSource = async () => {
    throw new Skipped('it needs a token');
  };
  return { ...(await openTarget(target, tokens)), permissions: {} };
};
