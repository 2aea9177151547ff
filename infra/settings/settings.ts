import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { BURST_S } from '#shared/platform/limits/limiter.ts';
import { type Environment, type ServiceSettings, settingsOf as serviceSettingsOf } from '#shared/runtime/settings.ts';
import {
  atLeast,
  flag,
  numbersByName,
  oneOf,
  positiveInteger,
  type ReadContext,
  rejectUnknown,
  SettingError,
  textMatching,
} from './context.ts';
import { localIssuerKeys } from './local-issuer-keys.ts';
import { type Preset, type Stage, stages } from './stages.ts';
import { concurrencyOf } from './worker-concurrency.ts';

export interface Settings extends Preset, ServiceSettings {
  readonly stage: string;
  readonly architecture: Architecture;
  /** Whether the stage accepts tokens of the local issuer (`npm run token`). */
  readonly trustsLocalIssuer: boolean;
  /** The reserved concurrency of functions, which is also their limit, by the file of the endpoint or worker. */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether the stage's own KMS key encrypts the data, instead of the account's keys of each service. */
  readonly customerKey: boolean;
  /** The e-mail address that gets the alarms. */
  readonly alarmEmail: string | undefined;
  /** The URL of the runbook, whose sections the alarms link to. */
  readonly runbook: string;
  readonly edge: boolean;
  /** The deployed commit; the pipeline's rollback reads it (docs/deploy.md). */
  readonly commit: string | undefined;
}

const architectures: Readonly<Record<string, Architecture>> = {
  arm64: Architecture.ARM_64,
  x86_64: Architecture.X86_64,
  host: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
};

const REQUIRED = ['issuer', 'audience', 'jwksUrl'];

const contextKeyOf: Readonly<Record<string, string>> = {
  ISSUER: 'issuer',
  AUDIENCE: 'audience',
  JWKS_URL: 'jwksUrl',
  ACCOUNT_CLAIM: 'accountClaim',
  AUDIENCE_CLAIM: 'audienceClaim',
  SCOPE_CLAIM: 'scopeClaim',
  SCOPE_PREFIX: 'scopePrefix',
  ROLE_CLAIM: 'roleClaim',
  IDEMPOTENCY_TTL_HOURS: 'idempotencyTtlHours',
  CLERK_PAYMENT_LIMIT_CENTS: 'clerkPaymentLimitCents',
  REFUND_WINDOW_DAYS: 'refundWindowDays',
  VOID_WINDOW_HOURS: 'voidWindowHours',
  RATE_LIMIT_PER_SECOND: 'rateLimitPerSecond',
  CORS_ORIGINS: 'corsOrigins',
  V1_DEPRECATION: 'v1Deprecation',
  V1_SUNSET: 'v1Sunset',
  V2_DEPRECATION: 'v2Deprecation',
  V2_SUNSET: 'v2Sunset',
};

export const contextKeys: readonly string[] = [
  'stage',
  ...Object.values(contextKeyOf),
  'arch',
  'throttleRate',
  'throttleBurst',
  'reservedConcurrency',
  'customerKey',
  'alarmEmail',
  'runbook',
  'edge',
  'commit',
];

/** Reads the settings with the Lambdas' own code, so that a value that fails their cold start is rejected here. */
const readAsLambda = (read: ReadContext): ServiceSettings => {
  const variables = Object.entries(contextKeyOf).map(([variable, key]) => [variable, read(key)]);
  const environment: Environment = Object.fromEntries(variables);
  try {
    return serviceSettingsOf(environment);
  } catch (error) {
    // The message names variables, but an operator sets context keys.
    const { message } = error as Error;
    throw new SettingError(
      message.replaceAll(/\b[A-Z][A-Z0-9_]+\b/g, (name) => (contextKeyOf[name] ? `-c ${contextKeyOf[name]}` : name)),
    );
  }
};

/**
 * The gateway counts the requests of all accounts together, also requests that the service refuses, so its limits must
 * be several times the budget of an account (CONTRACT §16). A request costs at least 1.
 */
const readThrottle = (read: ReadContext, { throttle, budgets }: Stage, limit: number): Stage['throttle'] => {
  const reason = `${budgets} × the budget of an account (-c rateLimitPerSecond)`;
  const readLimit = (key: string, fallback: number, budget: number) =>
    atLeast(key, budgets * budget, reason, positiveInteger(key, read, fallback));
  return {
    rate: readLimit('throttleRate', throttle.rate, limit),
    burst: readLimit('throttleBurst', throttle.burst, limit * BURST_S),
  };
};

/** `none` is for an AWS account that has too few executions for the workers' default. */
const readReservedConcurrency = (
  read: ReadContext,
  { reservesForWorkers }: Stage,
): Readonly<Record<string, number>> => {
  const key = 'reservedConcurrency';
  if (read(key) === 'none') return {};
  const given = numbersByName(key, [...Object.keys(endpoints), ...Object.keys(workers)], read);
  const used = Object.entries(workers).map(([file, worker]) => [file, concurrencyOf(worker)] as const);
  for (const [file, least] of used)
    atLeast(`${key} of ${file}`, least, 'which its trigger may use', given[file] ?? least);
  return { ...(reservesForWorkers && Object.fromEntries(used)), ...given };
};

const readStackSettings = (read: ReadContext, stage: Stage, { rateLimitPerSecond }: ServiceSettings) => ({
  throttle: readThrottle(read, stage, rateLimitPerSecond),
  reservedConcurrency: readReservedConcurrency(read, stage),
  architecture: oneOf('arch', architectures, read('arch') ?? 'arm64'),
  customerKey: flag('customerKey', read),
  alarmEmail: textMatching('alarmEmail', /^[^\s@]+@[^\s@]+$/, 'an e-mail address', read),
  runbook: textMatching('runbook', /^https:\/\/\S+$/, 'an https: URL', read) ?? 'docs/runbook.md',
  edge: flag('edge', read),
  commit: textMatching('commit', /^[0-9a-f]{7,40}$/, 'the SHA of a commit', read),
});

/** Adds the stage's default issuer and keys, unless the context names an issuer of its own. */
const identityOf = (
  readGiven: ReadContext,
  { defaults, trustsLocalIssuer }: Stage,
  readLocalKeys: () => string,
): ReadContext => {
  const usesLocalIssuer = trustsLocalIssuer && readGiven('issuer') === undefined && readGiven('jwksUrl') === undefined;
  const keys = usesLocalIssuer ? readLocalKeys() : undefined;
  return (key) => readGiven(key) ?? (key === 'jwksUrl' ? keys : defaults[key]);
};

const requireIdentity = (stage: string, read: ReadContext): void => {
  const missing = REQUIRED.filter((key) => read(key) === undefined).map((key) => `-c ${key}`);
  if (missing.length > 0) throw new SettingError(`Stage ${stage} requires ${missing.join(', ')} (see docs/deploy.md).`);
};

/**
 * Reads CDK's context. docs/deploy.md describes the keys.
 * @param names the keys that the context contains
 */
export const settingsOf = (
  context: (key: string) => unknown,
  names: readonly string[] = [],
  readLocalKeys: () => string = localIssuerKeys,
): Settings => {
  rejectUnknown(names, contextKeys);
  const readGiven: ReadContext = (key) => String(context(key) ?? '').trim() || undefined;
  const stage = readGiven('stage') ?? 'dev';
  const preset = oneOf('stage', stages, stage);
  const read = identityOf(readGiven, preset, readLocalKeys);
  requireIdentity(stage, read);
  const settings = readAsLambda(read);
  const { protocol } = new URL(settings.identity.jwksUrl);
  if (!preset.schemes.includes(protocol)) {
    throw new SettingError(
      `-c jwksUrl must be a URL with ${preset.schemes.join(' or ')} in stage ${stage}, not ${protocol}`,
    );
  }
  const { keepsData, removalPolicy, logRetention } = preset;
  const trustsLocalIssuer = preset.trustsLocalIssuer && readGiven('jwksUrl') === undefined;
  const stackSettings = readStackSettings(read, preset, settings);
  return { stage, keepsData, removalPolicy, logRetention, ...settings, ...stackSettings, trustsLocalIssuer };
};
