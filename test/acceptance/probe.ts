import { CliError } from '#local/cli/cli-error.ts';
import { ROLE_SCOPES } from '#shared/invoicing/roles.ts';
import type { Capability } from '#test/support/service/capabilities.ts';
import { openDeployed } from '#test/support/service/deployed.ts';
import type { TokenRequest } from '#test/support/service/tokens.ts';
import { httpTransport, type Transport } from '#test/support/service/transport.ts';

/** The capabilities that a deployment lacks, each with the reason. */
export type Missing = ReadonlyMap<Capability, string>;

/** @throws CliError unless something responds at the address */
export const expectService = async (url: string): Promise<void> => {
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

/** Each test that needs another capability needs a token, too. */
export const withoutTokens: Missing = new Map([['tokens', '--without-tokens']]);

/** A test can exceed a budget of this size. */
const MAX_BUDGET = 2000;

/**
 * Sends a dry run. Only a stage that permits local addresses accepts the URL of a receiver on this machine.
 * @returns the budget of the account; NaN without a limit
 * @throws CliError if the service does not accept the token, because then every test would fail
 */
const tryOut = async (transport: Transport, token: string): Promise<{ acceptsLocal: boolean; budget: number }> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: 'http://127.0.0.1:1' });
  const target = '/v1/webhook-endpoints?dry_run=true';
  const { status, headers: received, text } = await transport({ method: 'POST', target, headers, body });
  if (status === 401 || status === 403) {
    const [, detail = ''] = /"detail":\s*"([^"]*)/.exec(text) ?? [];
    throw new CliError(
      `The service refuses the token (${status}): ${detail || 'no reason'} Is it of the right issuer?`,
      2,
    );
  }
  const [, budget] = /;q=(\d+)/.exec(received['ratelimit-policy'] ?? '') ?? [];
  return { acceptsLocal: status !== 422, budget: Number(budget) };
};

/** Whether the service gets paths as they are sent (CONTRACT §4 also permits a gateway that decodes them). */
const routesExactly = async (transport: Transport): Promise<boolean> => {
  const send = (target: string) => transport({ method: 'GET', target, headers: {} });
  const answers = await Promise.all(['/%68ealth', '/health/'].map(send));
  return answers.every(({ status }) => status === 404);
};

/**
 * Finds out which requests the issuer and the service permit.
 * @param environment the variables of `openDeployed`
 * @throws CliError if there is no token at all
 */
export const findMissing = async (environment: NodeJS.ProcessEnv): Promise<Missing> => {
  const { transport, tokens, accountOf } = await openDeployed(environment);
  const missing = new Map<Capability, string>();
  const attempt = async (capability: Capability, request: () => TokenRequest): Promise<void> => {
    try {
      await tokens(request());
    } catch (error) {
      missing.set(capability, (error as Error).message);
    }
  };
  const own = { account: accountOf('own'), sub: 'user_1' };
  await attempt('roles', () => ({ ...own, role: 'admin' }));
  const usual = { ...own, ...(missing.has('roles') ? { scope: ROLE_SCOPES.admin.join(' ') } : { role: 'admin' }) };
  const token = await tokens(usual).catch((error: Error) => {
    throw new CliError(`No token: ${error.message}`, 2);
  });
  await attempt('claims', () => ({ ...usual, seconds: -60, claims: { aud: 'other' } }));
  await attempt('otherAccount', () => ({ ...usual, account: accountOf('other') }));
  if (environment['ACCOUNTS']) missing.set('newAccounts', '--accounts names the only accounts');
  if (!(await routesExactly(transport))) missing.set('exactPaths', 'a gateway before the service decodes paths');
  const { acceptsLocal, budget } = await tryOut(transport, token);
  if (!acceptsLocal) missing.set('receiver', 'the service sends nothing to this machine');
  if (!(budget <= MAX_BUDGET))
    missing.set('smallBudget', `an account has a budget of more than ${MAX_BUDGET}, or no limit`);
  return missing;
};
