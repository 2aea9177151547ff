import { type Bearer, claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { readStorage } from '#local/settings/settings.ts';
import { ROLE_SCOPES, ROLES } from '#shared/invoicing/roles.ts';
import { ACCOUNT_ID } from '#shared/platform/http/auth/access-token.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';

const USAGE =
  '--account <id> --sub <id> [--scope "<scopes>"] [--role <role>] [--expires-in <seconds>] [--claims <JSON object>]';

const HELP = `Prints an access token of the local issuer.

  npm run --silent token -- ${USAGE}

  --account     account whose data the token may access, such as acct_1
  --sub         user or client that the token is for, such as user_1
  --scope       scopes, separated by spaces: "invoices:read invoices:write"
  --role        viewer, clerk, accountant or admin; with --scope, the token permits only what both allow
  --expires-in  lifetime in seconds (default: 3600); a negative number creates an expired token
  --claims      JSON object that overrides or adds claims: '{"aud":"x"}'

Without --scope and --role the token permits nothing. DATA_DIR, ISSUER, AUDIENCE and the *_CLAIM variables must be the same
as those of npm start (docs/development.md).`;

const SCOPES: readonly string[] = ROLE_SCOPES.admin;

const text = { type: 'string' } as const;
const OPTIONS = {
  account: text,
  sub: text,
  scope: text,
  role: text,
  'expires-in': { type: 'string', default: '3600' },
  claims: { type: 'string', default: '{}' },
  help: { type: 'boolean', short: 'h' },
} as const;

const expected = (description: string): CliError => new CliError(`Expected ${description}.`, 2);

const objectOf = (json: string): Record<string, unknown> => {
  const malformed = expected(`--claims to be a JSON object, not ${json}`);
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    throw malformed;
  }
  throw malformed;
};

const secondsOf = (value: string): number => {
  if (/^[+-]?\d{1,12}$/.test(value)) return Number(value);
  throw expected(`--expires-in to be a whole number of seconds, not ${value}`);
};

/** Problems with the claims. The token is printed anyway, because a test may need it. */
const warnings = ({ account, scope = '', role }: Bearer): string[] => {
  const unknown = scope.split(' ').filter((one) => one !== '' && !SCOPES.includes(one));
  return [
    ...(ACCOUNT_ID.test(account)
      ? []
      : [`Warning: the service rejects the account ${account}: expected 1 to 64 of A-Z a-z 0-9 _ -`]),
    ...unknown.map((one) => `Warning: ${one} is not a scope: expected one of ${SCOPES.join(', ')}.`),
    ...(role === undefined || (ROLES as readonly string[]).includes(role)
      ? []
      : [`Warning: ${role} is not a role and permits nothing: expected one of ${ROLES.join(', ')}.`]),
  ];
};

await run(async () => {
  const { help, account, sub, ...rest } = parseOptions(process.argv.slice(2), OPTIONS, USAGE);
  if (help) return console.log(HELP);
  if (!account || !sub) throw new CliError(`--account and --sub are required; expected: ${USAGE}`, 2);
  for (const warning of warnings({ account, sub, ...rest })) console.error(warning);
  const claims = claimsOf({ account, sub, ...rest }, secondsOf(rest['expires-in']), process.env);
  const merged = { ...claims, ...objectOf(rest.claims) };
  const issuer = await openIssuer(readStorage(process.env).directory);
  console.log(await issuer.sign(merged));
});
