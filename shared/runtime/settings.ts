import { BUCKET_VARIABLE, queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { hasMethodThat, type Uses } from '#shared/platform/declarations/store-methods.ts';
import { CLAIM_NAME, type Identity } from '#shared/platform/http/auth/claims.ts';
import { type Origins, parseOrigins } from '#shared/platform/http/origins.ts';
import { type Deprecation, type Deprecations, toDeprecations } from '#shared/platform/http/pipeline/deprecation.ts';
import type { QueueName, Settings, TableName } from '#shared/vocabulary.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';

/** Environment variables. The AWS SDK reads other variables by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Every setting of the service. Cold starts, `npm start` and synthesis read the settings only with this function, so
 * they reject the same values (CONTRACT §12).
 * @throws Error that names the missing or malformed variable
 */
export const settingsOf = (environment: Environment) => ({
  ...publicSettingsOf(environment),
  identity: identity(environment),
  idempotencyHours: integer(environment, 'IDEMPOTENCY_TTL_HOURS', 24, TEN_YEARS_HOURS),
  policy: policy(environment),
  rateLimitPerSecond: integer(environment, 'RATE_LIMIT_PER_SECOND', 100, MAX_RATE, 0),
  product: productSettingsOf(environment),
});

export type ServiceSettings = ReturnType<typeof settingsOf>;

/** The settings of a public endpoint, which needs no issuer. */
export const publicSettingsOf = (environment: Environment) => ({
  corsOrigins: corsOrigins(environment),
  deprecations: readDeprecations(environment),
});

/** The settings that workers and the checks of endpoints read. */
export const productSettingsOf = (environment: Environment): Settings => ({
  webhookAddresses: { allowsLocal: flag(environment, 'WEBHOOK_ALLOW_LOCAL') },
});

/** The read units of a partition in a second, for an engine with limits of its own. */
export const partitionReadUnits = (environment: Environment): number =>
  integer(environment, 'PARTITION_READ_UNITS', 3000, 1_000_000);

export const issuerOf = (environment: Environment): string => text(environment, 'ISSUER');

/** CONTRACT §2. */
export const identity = (environment: Environment): Identity => ({
  issuer: issuerOf(environment),
  audience: text(environment, 'AUDIENCE'),
  jwksUrl: url(environment, 'JWKS_URL', ['https', 'http', 'data']),
  claims: {
    account: claim(environment, 'ACCOUNT_CLAIM', 'account_id'),
    scope: text(environment, 'SCOPE_CLAIM', 'scope')
      .split(',')
      .map((name) => claim({ SCOPE_CLAIM: name.trim() }, 'SCOPE_CLAIM')),
    role: claim(environment, 'ROLE_CLAIM', 'role'),
    audience: claim(environment, 'AUDIENCE_CLAIM', 'aud'),
  },
  scopePrefix: environment['SCOPE_PREFIX'] ?? '',
});

const claim = (environment: Environment, name: string, fallback?: string): string => {
  const value = text(environment, name, fallback);
  if (CLAIM_NAME.test(value)) return value;
  throw malformed(name, 'the name of a claim, or a JSON Pointer such as /realm_access/roles', value);
};

interface Declared {
  readonly uses: Uses;
  readonly idempotency?: string;
  readonly list?: object | undefined;
}

/** Whether commits of a declaration change resources, so they write to the outbox. */
export const changesResources = (declared: { readonly uses: Uses }): boolean =>
  usedTables(declared).some(([table, methods]) => tables[table].subject && hasMethodThat(methods, 'changes'));

/** Whether a declaration reads pages by number of an indexed resource, or deletes its members. */
const usesPageIndex = (declared: Declared): boolean =>
  usedTables(declared).some(
    ([table, methods]) =>
      tables[table].isIndexed &&
      (hasMethodThat(methods, 'pages') || (declared.list && hasMethodThat(methods, 'numberedPages'))),
  );

const usesUniqueValues = (declared: Declared): boolean =>
  usedTables(declared).some(([table, methods]) => {
    const { unique } = tables[table];
    return unique && (hasMethodThat(methods, 'unique') || (unique.lookups && hasMethodThat(methods, 'lookups')));
  });

/**
 * The tables whose resources check the rows that a declaration writes, and `events` if its changes become events
 * (shared/invoicing/row-checks.ts).
 */
export const checkedTables = (declared: { readonly uses: Uses }): TableName[] => [
  ...usedTables(declared).flatMap(([table, methods]) => (hasMethodThat(methods, 'checks') ? [table] : [])),
  ...(changesResources(declared) ? (['events'] as const) : []),
];

const usedTables = ({ uses }: { readonly uses: Uses }): [TableName, readonly string[]][] =>
  Object.entries(uses).filter((entry): entry is [TableName, readonly string[]] => entry[0] in tables);

/**
 * The tables of the declared stores, and the tables of outbox, page indexes, unique values, idempotency records and
 * limits, if the declaration needs them.
 */
export const tablesOf = (declared: Declared): TableName[] => [
  ...usedTables(declared).map(([table]) => table),
  ...(changesResources(declared) ? (['outbox'] as const) : []),
  ...(usesPageIndex(declared) ? (['pages'] as const) : []),
  ...(usesUniqueValues(declared) ? (['uniqueValues'] as const) : []),
  ...(declared.idempotency ? (['idempotency'] as const) : []),
  ...('route' in declared ? (['limits'] as const) : []),
];

/** The deployed names of a declaration's tables. */
export const tableNames = (environment: Environment, declared: Declared): Record<TableName, string> =>
  Object.fromEntries(tablesOf(declared).map((table) => [table, text(environment, tables[table].variable)])) as Record<
    TableName,
    string
  >;

export const queueUrl = (environment: Environment, queue: QueueName): string =>
  url(environment, queues[queue].variable);

/** Whether a declaration uses the bucket of the accounts' files. */
export const reachesBucket = ({ uses }: { readonly uses: Uses }): boolean =>
  'downloads' in uses || 'files' in uses || uses['across']?.includes('uploads') === true;

/** The name of the bucket, for a declaration that uses it. */
export const bucket = (environment: Environment, declared: { readonly uses: Uses }): { bucket?: string } =>
  reachesBucket(declared) ? { bucket: bucketName(environment) } : {};

export const bucketName = (environment: Environment): string => text(environment, BUCKET_VARIABLE);

const MAX_RATE = 100_000;
const TEN_YEARS_HOURS = 87_600;
const HUNDRED_YEARS_DAYS = 36_500;

/** The limits of the conditional rules (CONTRACT §2). */
const policy = (environment: Environment) => ({
  clerkPaymentLimitCents: integer(environment, 'CLERK_PAYMENT_LIMIT_CENTS', 100_000, MAX_CENTS),
  refundWindowDays: integer(environment, 'REFUND_WINDOW_DAYS', 180, HUNDRED_YEARS_DAYS),
  voidWindowHours: positive(environment, 'VOID_WINDOW_HOURS', 24, 24 * HUNDRED_YEARS_DAYS),
});

/** CONTRACT §10. */
const corsOrigins = (environment: Environment): Origins => {
  const value = text(environment, 'CORS_ORIGINS', '*');
  const origins = parseOrigins(value.split(/[\s,]+/).filter(Boolean));
  if (origins) return origins;
  throw malformed('CORS_ORIGINS', '*, or origins such as https://app.example.com and https://*.example.com', value);
};

/** The announced ends of versions (CONTRACT §11): `V1_DEPRECATION`, `V1_SUNSET`, … */
const readDeprecations = (environment: Environment): Deprecations =>
  toDeprecations((version) => readDeprecation(environment, version));

const readDeprecation = (environment: Environment, version: string): Deprecation | undefined => {
  const [since, until] = [`${version.toUpperCase()}_DEPRECATION`, `${version.toUpperCase()}_SUNSET`];
  const [deprecated, sunset] = [time(environment, since), time(environment, until)];
  // RFC 9745 §4.
  if (deprecated && sunset && sunset < deprecated)
    throw malformed(until, `no earlier than ${since}`, environment[until]);
  return deprecated || sunset ? { ...(deprecated && { deprecated }), ...(sunset && { sunset }) } : undefined;
};

const text = (environment: Environment, name: string, fallback?: string): string => {
  const value = environment[name] || fallback;
  if (!value) throw malformed(name, 'a non-empty text', value);
  return value;
};

/** @param schemes without the colon */
const url = (environment: Environment, name: string, schemes: readonly string[] = ['https', 'http']): string => {
  const value = environment[name];
  const scheme = URL.parse(value ?? '')?.protocol.slice(0, -1);
  if (!value || !scheme || !schemes.includes(scheme)) throw malformed(name, `a URL (${schemes.join(', ')})`, value);
  return value;
};

const integer = (environment: Environment, name: string, fallback: number, max: number, min = 1): number => {
  const value = environment[name];
  if (!value) return fallback;
  const number = Number(value);
  if (!/^(0|[1-9]\d*)$/.test(value) || number < min || number > max)
    throw malformed(name, `an integer from ${min} to ${max}`, value);
  return number;
};

const positive = (environment: Environment, name: string, fallback: number, max: number): number => {
  const value = environment[name];
  if (!value) return fallback;
  const number = Number(value);
  if (!/^\d+(\.\d+)?$/.test(value) || number <= 0 || number > max)
    throw malformed(name, `a number above 0, at most ${max}`, value);
  return number;
};

const flag = (environment: Environment, name: string): boolean => {
  const value = environment[name] || 'false';
  if (value !== 'true' && value !== 'false') throw malformed(name, 'true or false', value);
  return value === 'true';
};

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/;

/** A date is the start of its day in UTC. */
const time = (environment: Environment, name: string): Date | undefined => {
  const value = environment[name];
  if (!value) return undefined;
  const date = new Date(value);
  // `Date` accepts 30 February and returns a day in March.
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 10));
  if (TIME.test(value) && exists) return date;
  throw malformed(name, 'a date such as 2027-06-30 or 2027-06-30T12:00:00Z', value);
};

const malformed = (name: string, expected: string, value: string | undefined): Error =>
  new Error(`${name} must be ${expected}${value ? `, not ${JSON.stringify(value)}` : ', but is not set'}.`);
