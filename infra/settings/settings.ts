import { type Environment, type ServiceSettings, settingsOf as serviceSettingsOf } from '#shared/runtime/settings.ts';
import { oneOf, type ReadContext, rejectUnknown, SettingError, textMatching } from './context.ts';
import { localIssuerKeys } from './local-issuer-keys.ts';
import { readStackSettings, type StackSettings } from './stack-settings.ts';
import { type Kind, readStageFile, STAGE_FOLDER } from './stage-file.ts';
import { type Preset, STAGE_NAME, STAGE_NAME_FORM, type Stage, stages } from './stages.ts';

export { SettingError } from './context.ts';

export interface Settings extends Preset, ServiceSettings, StackSettings {
  readonly stage: string;
  /** Whether the stage accepts tokens of the local issuer (`npm run token`). */
  readonly trustsLocalIssuer: boolean;
}

const REQUIRED = ['issuer', 'audience', 'jwksUrl'];

const contextKeyOf: Readonly<Record<string, string>> = {
  ISSUER: 'issuer',
  AUDIENCE: 'audience',
  JWKS_URL: 'jwksUrl',
  ACCOUNT_CLAIM: 'accountClaim',
  SCOPE_CLAIM: 'scopeClaim',
  ROLE_CLAIM: 'roleClaim',
  IDEMPOTENCY_TTL_HOURS: 'idempotencyTtlHours',
  CLERK_PAYMENT_LIMIT_CENTS: 'clerkPaymentLimitCents',
  REFUND_WINDOW_DAYS: 'refundWindowDays',
  RATE_LIMIT_PER_SECOND: 'rateLimitPerSecond',
  CORS_ORIGINS: 'corsOrigins',
  V1_DEPRECATION: 'v1Deprecation',
  V1_SUNSET: 'v1Sunset',
  V2_DEPRECATION: 'v2Deprecation',
  V2_SUNSET: 'v2Sunset',
};

/** The settings of a stage, with the kind of value that each has in a stage file. */
const SETTINGS = {
  preset: 'a text',
  issuer: 'a text',
  audience: 'a text',
  jwksUrl: 'a text',
  accountClaim: 'a text',
  scopeClaim: 'a text',
  roleClaim: 'a text',
  idempotencyTtlHours: 'a number',
  clerkPaymentLimitCents: 'a number',
  refundWindowDays: 'a number',
  rateLimitPerSecond: 'a number',
  corsOrigins: 'a list of texts',
  v1Deprecation: 'a text',
  v1Sunset: 'a text',
  v2Deprecation: 'a text',
  v2Sunset: 'a text',
  arch: 'a text',
  throttleRate: 'a number',
  throttleBurst: 'a number',
  reservedConcurrency: 'an object of numbers',
  customerKey: 'true or false',
  alarmEmail: 'a text',
  runbook: 'a text',
  edge: 'true or false',
} satisfies Record<string, Kind>;

/** The keys of `-c`. A deployment also states its stage and its commit. */
export const contextKeys: readonly string[] = ['stage', ...Object.keys(SETTINGS), 'commit'];

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

/** The preset of the stage: the one that it names, or the one with its name. */
const presetOf = (stage: string, read: ReadContext): Stage => {
  const preset = read('preset');
  if (preset === undefined && !Object.hasOwn(stages, stage))
    throw new SettingError(`-c stage must be dev, prod or a file of ${STAGE_FOLDER} with a preset, not "${stage}".`);
  return oneOf('preset', stages, preset ?? stage);
};

/** Names the file instead of the option, where the value of a setting comes from the file. */
const nameFile = (error: unknown, fromFile: readonly string[], path: string): unknown =>
  error instanceof SettingError
    ? new SettingError(
        error.message.replaceAll(/-c (\w+)/g, (text, key) => (fromFile.includes(key) ? `${key} in ${path}` : text)),
      )
    : error;

/**
 * Reads the settings from CDK's context and from the file of the stage; the context wins. docs/deploy.md describes the
 * keys.
 * @param names the keys that the context contains
 */
export const settingsOf = (
  context: (key: string) => unknown,
  names: readonly string[] = [],
  readLocalKeys: () => string = localIssuerKeys,
  folder?: string,
): Settings => {
  rejectUnknown(names, contextKeys);
  const readContext: ReadContext = (key) => String(context(key) ?? '').trim() || undefined;
  const stage = textMatching('stage', STAGE_NAME, STAGE_NAME_FORM, readContext) ?? 'dev';
  const { path, values } = readStageFile(stage, SETTINGS, folder);
  try {
    return checkedSettings(stage, (key) => readContext(key) ?? values[key], readLocalKeys);
  } catch (error) {
    const fromFile = Object.keys(values).filter((key) => readContext(key) === undefined);
    throw nameFile(error, fromFile, path);
  }
};

const checkedSettings = (stage: string, readGiven: ReadContext, readLocalKeys: () => string): Settings => {
  const preset = presetOf(stage, readGiven);
  const read = identityOf(readGiven, preset, readLocalKeys);
  requireIdentity(stage, read);
  const settings = readAsLambda(read);
  const { protocol } = new URL(settings.identity.jwksUrl);
  if (!preset.schemes.includes(protocol)) {
    throw new SettingError(
      `-c jwksUrl must be a URL with ${preset.schemes.join(' or ')} in stage ${stage}, not ${protocol}`,
    );
  }
  const { schemes: _, defaults: __, ...presetValues } = preset;
  const trustsLocalIssuer = presetValues.trustsLocalIssuer && readGiven('jwksUrl') === undefined;
  return { stage, ...presetValues, ...settings, ...readStackSettings(read, preset), trustsLocalIssuer };
};
