import { decodeJwt } from 'jose';
import { parseOptions } from '#local/cli/arguments.ts';
import { CliError, run } from '#local/cli/cli-error.ts';
import { readClaim, textsOf } from '#shared/platform/http/auth/claims.ts';
import { claimedScopes } from '#shared/platform/http/auth/scopes.ts';

/*
 * A token command for npm run acceptance: prints an access token that an issuer gives a client (client credentials, RFC
 * 6749 §4.4). TOKEN_URL is the issuer's token endpoint; TOKEN_AUDIENCE is sent if the issuer requires one. The account
 * `own` belongs to CLIENT_ID and CLIENT_SECRET, `other` to OTHER_CLIENT_ID and OTHER_CLIENT_SECRET. A client has one
 * account, and chooses only the scopes, so the command fails for any other token.
 */

const USAGE = '--account own|other --sub <ignored> --scope "<scopes>"';
const TIMEOUT_MS = 10_000;

const text = { type: 'string' } as const;
const OPTIONS = { account: text, sub: text, scope: text, role: text, 'expires-in': text, claims: text } as const;

interface Client {
  readonly id: string;
  readonly secret: string;
}

const clientOf = (account: string | undefined): Client => {
  const prefix = { own: '', other: 'OTHER_' }[account ?? ''];
  if (prefix === undefined) throw new CliError(`There is no client for the account ${account}.`);
  const [id, secret] = [process.env[`${prefix}CLIENT_ID`], process.env[`${prefix}CLIENT_SECRET`]];
  if (!id || !secret) throw new CliError(`${prefix}CLIENT_ID and ${prefix}CLIENT_SECRET are not set.`);
  return { id, secret };
};

/** @throws CliError without the issuer's response, which can contain a secret */
const fetchToken = async ({ id, secret }: Client, scope: string): Promise<string> => {
  const { TOKEN_URL = '', TOKEN_AUDIENCE } = process.env;
  if (!URL.canParse(TOKEN_URL)) throw new CliError('TOKEN_URL must be the address of the issuer’s token endpoint.');
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
  if (TOKEN_AUDIENCE) body.set('audience', TOKEN_AUDIENCE);
  const authorization = `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(TOKEN_URL, { method: 'POST', headers: { authorization }, body, signal });
  const { access_token } = (await response.json()) as { access_token?: unknown };
  if (response.ok && typeof access_token === 'string') return access_token;
  throw new CliError(`The issuer returned no token (status ${response.status}).`);
};

/** The settings of the service (docs/development.md). */
const { SCOPE_CLAIM = 'scope', SCOPE_PREFIX = '' } = process.env;

/** The scopes that the service reads from a token. */
const grantedBy = (token: string): readonly string[] => {
  const values = SCOPE_CLAIM.split(',').map((name) => readClaim(decodeJwt(token), name.trim()));
  return claimedScopes(textsOf(values.find((value) => value !== undefined)) ?? [], SCOPE_PREFIX);
};

const sorted = (scopes: readonly string[]): string => scopes.toSorted().join(' ');

await run(async () => {
  const { account, scope, role, claims, 'expires-in': seconds } = parseOptions(process.argv.slice(2), OPTIONS, USAGE);
  if (role !== undefined || claims !== undefined || seconds !== undefined || scope === undefined) {
    throw new CliError('A client chooses only the scopes of its token.');
  }
  const scopes = scope.split(' ');
  const token = await fetchToken(clientOf(account), scopes.map((name) => SCOPE_PREFIX + name).join(' '));
  const granted = grantedBy(token);
  if (sorted(granted) !== sorted(scopes)) throw new CliError(`The issuer grants other scopes: ${granted.join(' ')}.`);
  console.log(token);
});
