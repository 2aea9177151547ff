import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { endpoints } from '#functions/index.ts';
import { type Environment, type ServiceSettings, settingsOf as serviceSettingsOf } from '#shared/lambda/settings.ts';
import {
  flag,
  matching,
  numbersOf,
  oneOf,
  positiveInteger,
  refuseUnknown,
  SettingError,
  type Value,
} from './context.ts';
import { localIssuerKeys } from './local-issuer-keys.ts';
import { type Preset, type Stage, stages } from './stages.ts';

export { SettingError } from './context.ts';

/** What is deployed, as one stage wants it. */
export interface Settings extends Preset, ServiceSettings {
  readonly stage: string;
  readonly architecture: Architecture;
  /** Whether the issuer is this machine's own, so that `npm run token` serves. */
  readonly trustsLocalIssuer: boolean;
  /** How many instances at once are kept for a function, and are the most it gets, by its endpoint's file. */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether data is encrypted under a key of the stage's own, instead of the account's keys of each service. */
  readonly customerKey: boolean;
  /** Who is told of alarms; nobody but the topic without it. */
  readonly alarmEmail: string | undefined;
  /** Where the alarms' descriptions send their reader. */
  readonly runbook: string;
  /** Whether a shared cache stands before the gateway. */
  readonly edge: boolean;
  /** What is deployed, for the pipeline's way back (docs/ci-cd.md). */
  readonly commit: string | undefined;
}

const architectures: Readonly<Record<string, Architecture>> = {
  arm64: Architecture.ARM_64,
  x86_64: Architecture.X86_64,
  host: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
};

const REQUIRED = ['issuer', 'audience', 'jwksUrl'];

/** The Lambdas' variables, and the context keys that their values come from. */
const variables: Readonly<Record<string, string>> = {
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
  V1_DEPRECATION: 'v1Deprecation',
  V1_SUNSET: 'v1Sunset',
  V2_DEPRECATION: 'v2Deprecation',
  V2_SUNSET: 'v2Sunset',
};

/** Every setting that the context may hold; docs/deploy.md says what each is. */
export const contextKeys: readonly string[] = [
  'stage',
  ...Object.values(variables),
  ...[
    'arch',
    'throttleRate',
    'throttleBurst',
    'reservedConcurrency',
    'customerKey',
    'alarmEmail',
    'runbook',
    'edge',
    'commit',
  ],
];

/** Has the Lambdas' own readers check their settings, so that none is deployed that they would not start on. */
const readAsLambda = (value: Value): ServiceSettings => {
  const given = Object.entries(variables).map(([variable, key]) => [variable, value(key)]);
  const environment: Environment = Object.fromEntries(given);
  try {
    return serviceSettingsOf(environment);
  } catch (error) {
    // Such a message names variables; whoever deploys knows the keys.
    const { message } = error as Error;
    throw new SettingError(
      message.replaceAll(/\b[A-Z][A-Z0-9_]+\b/g, (name) => (variables[name] ? `-c ${variables[name]}` : name)),
    );
  }
};

const readOwn = (value: Value, { throttle }: Stage) => ({
  throttle: {
    rate: positiveInteger('throttleRate', value, throttle.rate),
    burst: positiveInteger('throttleBurst', value, throttle.burst),
  },
  architecture: oneOf('arch', architectures, value('arch') ?? 'arm64'),
  reservedConcurrency: numbersOf('reservedConcurrency', Object.keys(endpoints), value),
  customerKey: flag('customerKey', value),
  alarmEmail: matching('alarmEmail', /^[^\s@]+@[^\s@]+$/, 'an e-mail address', value),
  runbook: matching('runbook', /^https:\/\/\S+$/, 'an https: URL', value) ?? 'docs/runbook.md',
  edge: flag('edge', value),
  commit: matching('commit', /^[0-9a-f]{7,40}$/, 'the SHA of a commit', value),
});

/** Whose tokens a stage accepts; another issuer than this machine's has keys of its own. */
const identityOf = (given: Value, { defaults, trustsLocalIssuer }: Stage, ownKeys: () => string): Value => {
  const isOurs = trustsLocalIssuer && given('issuer') === undefined && given('jwksUrl') === undefined;
  const keys = isOurs ? ownKeys() : undefined;
  return (key) => given(key) ?? (key === 'jwksUrl' ? keys : defaults[key]);
};

const checkIdentity = (stage: string, value: Value): void => {
  const missing = REQUIRED.filter((key) => value(key) === undefined).map((key) => `-c ${key}`);
  if (missing.length > 0) throw new SettingError(`Stage ${stage} needs ${missing.join(', ')} (see docs/deploy.md).`);
};

/**
 * Reads what to deploy from CDK's context; docs/deploy.md lists the keys. An empty value counts as absent.
 * @param names the keys that the context holds
 * @throws SettingError naming what is missing or malformed
 */
export const settingsOf = (
  context: (key: string) => unknown,
  names: readonly string[] = [],
  ownKeys: () => string = localIssuerKeys,
): Settings => {
  refuseUnknown(names, contextKeys);
  const given: Value = (key) => String(context(key) ?? '').trim() || undefined;
  const stage = given('stage') ?? 'dev';
  const preset = oneOf('stage', stages, stage);
  const value = identityOf(given, preset, ownKeys);
  checkIdentity(stage, value);
  const settings = readAsLambda(value);
  const { protocol } = new URL(settings.identity.jwksUrl);
  if (!preset.schemes.includes(protocol)) {
    throw new SettingError(`Stage ${stage} takes a jwksUrl of ${preset.schemes.join(', ')} only, not of ${protocol}`);
  }
  const { schemes: _, defaults: __, ...chosen } = preset;
  const trustsLocalIssuer = chosen.trustsLocalIssuer && given('jwksUrl') === undefined;
  return { stage, ...chosen, ...settings, ...readOwn(value, preset), trustsLocalIssuer };
};
