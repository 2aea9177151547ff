import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

export interface Preset {
  /** Whether the data is protected: backups, deletion protection and termination protection. */
  readonly keepsData: boolean;
  /** For tables, logs, files and keys when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** The gateway's limits, in requests per second and at once. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

export interface Stage extends Preset {
  /**
   * The permitted schemes of `jwksUrl`. https authenticates the issuer's server; dev also accepts the keys themselves
   * as a data: URL.
   */
  readonly schemes: readonly string[];
  /** The values of context keys that the context does not contain. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly trustsLocalIssuer: boolean;
}

export const stages: Readonly<Record<string, Stage>> = {
  dev: {
    keepsData: false,
    removalPolicy: RemovalPolicy.DESTROY,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { rate: 50, burst: 100 },
    schemes: ['https:', 'http:', 'data:'],
    // The same as in the tokens of `npm run token`.
    defaults: { issuer: 'urn:invoicing:local', audience: 'invoicing' },
    trustsLocalIssuer: true,
  },
  prod: {
    keepsData: true,
    removalPolicy: RemovalPolicy.RETAIN,
    logRetention: RetentionDays.THREE_MONTHS,
    throttle: { rate: 500, burst: 1000 },
    schemes: ['https:'],
    defaults: {},
    trustsLocalIssuer: false,
  },
};
