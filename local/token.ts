import { type Bearer, claimsOf } from '#local/issuer/claims.ts';
import { openIssuer } from '#local/issuer/issuer.ts';
import { storage } from '#local/settings/settings.ts';
import { ROLE_SCOPES, ROLES } from '#shared/invoicing/roles.ts';
import { ACCOUNT_ID } from '#shared/platform/http/auth/access-token.ts';
import { parseOptions } from './cli/arguments.ts';
import { CliError, run } from './cli/cli-error.ts';

const USAGE =
  '--account <id> --sub <id> [--scope "<scopes>"] [--role <role>] [--expires-in <seconds>] [--claims <JSON object>]';

const HELP = `Prints an access token of the local issuer.

  npm run --silent token -- ${USAGE}

  --account     whose data: acct_1
  --sub         who acts: user_1
  --scope       scopes, separated by spaces: "invoices:read invoices:write"
  --role        viewer, clerk, accountant or admin; with --scope, what both permit
  --expires-in  seconds from now, negative for a token that has expired; 3600 without it
  --claims      a JSON object merged over the other claims: '{"aud":"x"}'

The key is kept in DATA_DIR; ISSUER, AUDIENCE and the *_CLAIM variables count as they do for the service.`;

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

const expected = (what: string): CliError => new CliError(`Expected ${what}.`, 2);

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

/** What the service would take no notice of, or refuse; a test may want just that, so that it is only said. */
const warnings = ({ account, scope = '', role }: Bearer): string[] => {
  const unknown = scope.split(' ').filter((one) => one !== '' && !SCOPES.includes(one));
  return [
    ...(ACCOUNT_ID.test(account)
      ? []
      : [`The service refuses the account ${account}: expected up to 64 of A-Z a-z 0-9 _ -.`]),
    ...unknown.map((one) => `${one} is no scope: expected one of ${SCOPES.join(', ')}.`),
    ...(role === undefined || (ROLES as readonly string[]).includes(role)
      ? []
      : [`${role} is no role and grants nothing: expected one of ${ROLES.join(', ')}.`]),
  ];
};

await run(async () => {
  const { help, account, sub, ...given } = parseOptions(process.argv.slice(2), OPTIONS, USAGE);
  if (help) return console.log(HELP);
  if (!account || !sub) throw new CliError(`--account and --sub are needed; expected: ${USAGE}`, 2);
  for (const doubt of warnings({ account, sub, ...given })) console.error(doubt);
  const claims = claimsOf({ account, sub, ...given }, secondsOf(given['expires-in']), process.env);
  const merged = { ...claims, ...objectOf(given.claims) };
  const issuer = await openIssuer(storage(process.env).directory);
  console.log(await issuer.sign(merged));
});
