import { BUCKET_VARIABLE, type QueueName, queues } from '#shared/invoicing/queues.ts';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import type { Identity } from '#shared/platform/http/auth/access-token.ts';
import { type Deprecation, type Deprecations, toDeprecations } from '#shared/platform/http/pipeline/deprecation.ts';
import { MAX_CENTS } from '#shared/platform/money.ts';

/** The environment's variables; what the AWS SDK reads there itself is none of ours. */
export type Environment = Readonly<Record<string, string | undefined>>;

const malformed = (name: string, expected: string, value: string | undefined): Error =>
  new Error(`${name} must be ${expected}${value ? `, not ${JSON.stringify(value)}` : ', but is not set'}.`);

const text = (environment: Environment, name: string, fallback?: string): string => {
  const value = environment[name] || fallback;
  if (!value) throw malformed(name, 'a non-empty text', value);
  return value;
};

/**
 * @param schemes those that the URL may have, without the colon
 */
const url = (environment: Environment, name: string, schemes: readonly string[] = ['https', 'http']): string => {
  const value = environment[name];
  const scheme = URL.parse(value ?? '')?.protocol.slice(0, -1);
  if (!value || !scheme || !schemes.includes(scheme)) throw malformed(name, `a URL (${schemes.join(', ')})`, value);
  return value;
};

const integer = (environment: Environment, name: string, fallback: number, max: number): number => {
  const value = environment[name];
  if (!value) return fallback;
  const number = Number(value);
  if (!/^[1-9]\d*$/.test(value) || number > max) throw malformed(name, `an integer from 1 to ${max}`, value);
  return number;
};

/** Whose tokens are accepted (CONTRACT §2). */
export const identity = (environment: Environment): Identity => ({
  issuer: text(environment, 'ISSUER'),
  audience: text(environment, 'AUDIENCE'),
  jwksUrl: url(environment, 'JWKS_URL', ['https', 'http', 'data']),
  claims: {
    account: text(environment, 'ACCOUNT_CLAIM', 'account_id'),
    scope: text(environment, 'SCOPE_CLAIM', 'scope'),
    role: text(environment, 'ROLE_CLAIM', 'role'),
  },
});

const TEN_YEARS_HOURS = 87_600;
const HUNDRED_YEARS_DAYS = 36_500;

/** How long an idempotency record lives, in hours (CONTRACT §8). */
const idempotencyHours = (environment: Environment): number =>
  integer(environment, 'IDEMPOTENCY_TTL_HOURS', 24, TEN_YEARS_HOURS);

/** What the conditional rules depend on (CONTRACT §2). */
const policy = (environment: Environment) => ({
  clerkPaymentLimitCents: integer(environment, 'CLERK_PAYMENT_LIMIT_CENTS', 100_000, MAX_CENTS),
  refundWindowDays: integer(environment, 'REFUND_WINDOW_DAYS', 180, HUNDRED_YEARS_DAYS),
});

const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

/** The origins whose pages may call the service: `*`, or a list (CONTRACT §10). */
const corsOrigins = (environment: Environment): string[] => {
  const value = text(environment, 'CORS_ORIGINS', '*');
  const origins = value.split(/[\s,]+/).filter(Boolean);
  if (origins.every(isOrigin)) return origins;
  throw malformed('CORS_ORIGINS', '*, or origins such as https://app.example.com', value);
};

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/;

/** A moment in whole seconds of UTC, or the start of a day. */
const moment = (environment: Environment, name: string): Date | undefined => {
  const value = environment[name];
  if (!value) return undefined;
  const date = new Date(value);
  // Date takes the 30th of February for one in March.
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value.slice(0, 10));
  if (DATE.test(value) && exists) return date;
  throw malformed(name, 'a date such as 2027-06-30 or 2027-06-30T12:00:00Z', value);
};

const readDeprecation = (environment: Environment, version: string): Deprecation | undefined => {
  const [since, until] = [`${version.toUpperCase()}_DEPRECATION`, `${version.toUpperCase()}_SUNSET`];
  const [deprecated, sunset] = [moment(environment, since), moment(environment, until)];
  // RFC 9745 §4.
  if (deprecated && sunset && sunset < deprecated)
    throw malformed(until, `no earlier than ${since}`, environment[until]);
  return deprecated || sunset ? { ...(deprecated && { deprecated }), ...(sunset && { sunset }) } : undefined;
};

/** The announced ends of versions (CONTRACT §11): `V1_DEPRECATION`, `V1_SUNSET`, … */
const readDeprecations = (environment: Environment): Deprecations =>
  toDeprecations((version) => readDeprecation(environment, version));

/**
 * The settings of a public endpoint, which knows no caller.
 * @throws Error naming the variable that is malformed
 */
export const publicSettingsOf = (environment: Environment) => ({
  corsOrigins: corsOrigins(environment),
  deprecations: readDeprecations(environment),
});

/**
 * Every setting of the service. A cold start, `npm start` and synthesis read them by this function only, so that all
 * of them refuse the same values (CONTRACT §12).
 * @throws Error naming the variable that is missing or malformed
 */
export const settingsOf = (environment: Environment) => ({
  ...publicSettingsOf(environment),
  identity: identity(environment),
  idempotencyHours: idempotencyHours(environment),
  policy: policy(environment),
});

/** Every setting of the service, as it is read. */
export type ServiceSettings = ReturnType<typeof settingsOf>;

/** The tables that a declaration reaches: those of its stores, and with a key the one of idempotency records. */
export const tablesOf = (declared: { readonly uses: object; readonly idempotency?: string }): TableName[] => [
  ...Object.keys(declared.uses).filter((name): name is TableName => name in tables),
  ...(declared.idempotency ? (['idempotency'] as const) : []),
];

/** The deployed names of a declaration's tables. */
export const tableNames = (
  environment: Environment,
  declared: Parameters<typeof tablesOf>[0],
): Record<TableName, string> =>
  Object.fromEntries(tablesOf(declared).map((table) => [table, text(environment, tables[table].variable)])) as Record<
    TableName,
    string
  >;

/** The address of a queue. */
export const queueUrl = (environment: Environment, queue: QueueName): string =>
  url(environment, queues[queue].variable);

/** Whether a declaration reaches the bucket of the accounts' files. */
export const reachesBucket = ({ uses }: { readonly uses: object }): boolean =>
  ['downloads', 'files', 'across'].some((place) => place in uses);

/** The name of the bucket, for a declaration that reaches it. */
export const bucket = (environment: Environment, declared: { readonly uses: object }): { bucket?: string } =>
  reachesBucket(declared) ? { bucket: text(environment, BUCKET_VARIABLE) } : {};
