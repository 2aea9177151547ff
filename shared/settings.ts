import { BUCKET_VARIABLE, type QueueName, queues } from './data/queues.ts';
import { type TableName, tables } from './data/tables.ts';
import { type End, type Ends, endsOf } from './http/deprecation.ts';
import type { Identity } from './http/verify.ts';

/** The environment's variables; what the AWS SDK reads there itself is none of ours. */
export type Environment = Readonly<Record<string, string | undefined>>;

const malformed = (name: string, expected: string, value: string | undefined): Error =>
  new Error(`${name} must be ${expected}${value ? `, not ${JSON.stringify(value)}` : ', but is not set'}.`);

const text = (environment: Environment, name: string, fallback?: string): string => {
  const value = environment[name] || fallback;
  if (!value) throw malformed(name, 'a non-empty text', value);
  return value;
};

const url = (environment: Environment, name: string): string => {
  const value = environment[name];
  if (!value || !URL.canParse(value)) throw malformed(name, 'a URL', value);
  return value;
};

const positiveInteger = (environment: Environment, name: string, fallback: number): number => {
  const value = environment[name];
  const number = value ? Number(value) : fallback;
  if (!Number.isSafeInteger(number) || number <= 0) throw malformed(name, 'a positive integer', value);
  return number;
};

/** Whose tokens are accepted (CONTRACT §2). */
export const identity = (environment: Environment): Identity => ({
  issuer: text(environment, 'ISSUER'),
  audience: text(environment, 'AUDIENCE'),
  jwksUrl: url(environment, 'JWKS_URL'),
  claims: {
    account: text(environment, 'ACCOUNT_CLAIM', 'account_id'),
    scope: text(environment, 'SCOPE_CLAIM', 'scope'),
    role: text(environment, 'ROLE_CLAIM', 'role'),
  },
});

/** How long an idempotency record lives, in hours (CONTRACT §8). */
export const idempotencyHours = (environment: Environment): number =>
  positiveInteger(environment, 'IDEMPOTENCY_TTL_HOURS', 24);

/** What the conditional rules depend on (CONTRACT §2). */
export const policy = (environment: Environment) => ({
  clerkPaymentLimitCents: positiveInteger(environment, 'CLERK_PAYMENT_LIMIT_CENTS', 100_000),
  refundWindowDays: positiveInteger(environment, 'REFUND_WINDOW_DAYS', 180),
});

const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

/** The origins whose pages may call the service: `*`, or a list (CONTRACT §10). */
export const corsOrigins = (environment: Environment): string[] => {
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

const endOf = (environment: Environment, version: string): End | undefined => {
  const [since, until] = [`${version.toUpperCase()}_DEPRECATION`, `${version.toUpperCase()}_SUNSET`];
  const [deprecated, sunset] = [moment(environment, since), moment(environment, until)];
  // RFC 9745 §4.
  if (deprecated && sunset && sunset < deprecated)
    throw malformed(until, `no earlier than ${since}`, environment[until]);
  return deprecated || sunset ? { ...(deprecated && { deprecated }), ...(sunset && { sunset }) } : undefined;
};

/** The announced ends of versions (CONTRACT §11): `V1_DEPRECATION`, `V1_SUNSET`, … */
export const ends = (environment: Environment): Ends => endsOf((version) => endOf(environment, version));

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
