import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { endpoints } from '#functions/index.ts';
import { flag, numbersByName, oneOf, positiveInteger, type ReadContext, textMatching } from './context.ts';
import type { Preset, Stage } from './stages.ts';

/** The settings of the deployment alone. The functions do not know them. */
export interface StackSettings extends Pick<Preset, 'throttle'> {
  readonly architecture: Architecture;
  /** The reserved concurrency of functions, which is also their limit, by the endpoint's file. */
  readonly reservedConcurrency: Readonly<Record<string, number>>;
  /** Whether the stage's own KMS key encrypts the data, instead of the account's keys of each service. */
  readonly customerKey: boolean;
  /** The e-mail address that gets the alarms. */
  readonly alarmEmail: string | undefined;
  /** The URL of the runbook, whose sections the alarms link to. */
  readonly runbook: string;
  /** Whether CloudFront serves the API (docs/cdn.md). */
  readonly edge: boolean;
  /** The deployed commit; the pipeline's rollback reads it (docs/ci-cd.md). */
  readonly commit: string | undefined;
}

const architectures: Readonly<Record<string, Architecture>> = {
  arm64: Architecture.ARM_64,
  x86_64: Architecture.X86_64,
  host: process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
};

export const readStackSettings = (read: ReadContext, { throttle }: Stage): StackSettings => ({
  throttle: {
    rate: positiveInteger('throttleRate', read, throttle.rate),
    burst: positiveInteger('throttleBurst', read, throttle.burst),
  },
  architecture: oneOf('arch', architectures, read('arch') ?? 'arm64'),
  reservedConcurrency: numbersByName('reservedConcurrency', Object.keys(endpoints), read),
  customerKey: flag('customerKey', read),
  alarmEmail: textMatching('alarmEmail', /^[^\s@]+@[^\s@]+$/, 'an e-mail address', read),
  runbook: textMatching('runbook', /^https:\/\/\S+$/, 'an https: URL', read) ?? 'docs/runbook.md',
  edge: flag('edge', read),
  commit: textMatching('commit', /^[0-9a-f]{7,40}$/, 'the SHA of a commit', read),
});
