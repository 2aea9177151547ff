import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { Identity } from '#shared/http/verify.ts';
import { corsOrigins, type Environment, idempotencyHours, identity, policy } from '#shared/settings.ts';
import { type Preset, stages } from './presets.ts';

/** What is deployed, as one stage wants it. */
export interface Settings extends Preset {
  readonly stage: string;
  readonly architecture: Architecture;
  readonly identity: Identity;
  readonly idempotencyHours: number;
  readonly policy: ReturnType<typeof policy>;
  readonly corsOrigins: readonly string[];
  /** Whether a shared cache stands before the gateway. */
  readonly edge: boolean;
}

/** Settings that nothing can be deployed with; the message is one line, and says it all. */
export class SettingError extends Error {}

const architectures: Readonly<Record<string, Architecture>> = {
  arm64: Architecture.ARM_64,
  x86_64: Architecture.X86_64,
  host: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
};

const REQUIRED = ['issuer', 'audience', 'jwksUrl'];

const oneOf = <T>(key: string, choices: Readonly<Record<string, T>>, value: string): T => {
  if (Object.hasOwn(choices, value)) return choices[value] as T;
  throw new SettingError(`-c ${key} must be one of ${Object.keys(choices).join(', ')}, not ${JSON.stringify(value)}.`);
};

type Value = (key: string) => string | undefined;

/** The Lambdas' variables, and the context keys that their values come from. */
const keys: Readonly<Record<string, string>> = {
  ISSUER: 'issuer',
  AUDIENCE: 'audience',
  JWKS_URL: 'jwksUrl',
  ACCOUNT_CLAIM: 'accountClaim',
  SCOPE_CLAIM: 'scopeClaim',
  ROLE_CLAIM: 'roleClaim',
  IDEMPOTENCY_TTL_HOURS: 'idempotencyTtlHours',
  CLERK_PAYMENT_LIMIT_CENTS: 'clerkPaymentLimitCents',
  REFUND_WINDOW_DAYS: 'refundWindowDays',
  CORS_ORIGINS: 'corsOrigins',
};

type Read = Pick<Settings, 'identity' | 'idempotencyHours' | 'policy' | 'corsOrigins'>;

/** Has the Lambdas' own readers check their settings, so that none is deployed that they would not start on. */
const readAsLambda = (value: Value): Read => {
  const given = Object.entries(keys).map(([variable, key]) => [variable, value(key)]);
  const environment: Environment = Object.fromEntries(given);
  try {
    return {
      identity: identity(environment),
      idempotencyHours: idempotencyHours(environment),
      policy: policy(environment),
      corsOrigins: corsOrigins(environment),
    };
  } catch (error) {
    // Such a message starts with the variable; whoever deploys knows the key.
    const { message } = error as Error;
    throw new SettingError(message.replace(/^[A-Z_]+/, (variable) => `-c ${keys[variable] ?? variable}`));
  }
};

/**
 * Reads what to deploy from CDK's context; docs/deploy.md lists the keys. An empty value counts as absent.
 * @throws SettingError naming what is missing or malformed
 */
export const settingsOf = (context: (key: string) => unknown): Settings => {
  const given: Value = (key) => String(context(key) ?? '').trim() || undefined;
  const stage = given('stage') ?? 'dev';
  const { schemes, defaults, ...preset } = oneOf('stage', stages, stage);
  const architecture = oneOf('arch', architectures, given('arch') ?? 'arm64');
  const value: Value = (key) => given(key) ?? defaults[key];
  const missing = REQUIRED.filter((key) => value(key) === undefined).map((key) => `-c ${key}`);
  if (missing.length > 0) throw new SettingError(`Stage ${stage} needs ${missing.join(', ')} (see docs/deploy.md).`);
  const settings = readAsLambda(value);
  const { protocol } = new URL(settings.identity.jwksUrl);
  if (!schemes.includes(protocol)) {
    throw new SettingError(`Stage ${stage} takes a jwksUrl of ${schemes.join(', ')} only, not of ${protocol}`);
  }
  const edge = oneOf('edge', { true: true, false: false }, given('edge') ?? 'false');
  return { stage, architecture, edge, ...preset, ...settings };
};
