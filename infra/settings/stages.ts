import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

export interface Preset {
  /** Whether the data is protected: backups, deletion protection and termination protection. */
  readonly keepsData: boolean;
  /** Whether tables, logs, files and keys remain when the stack is deleted. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /**
   * The gateway's limits of all requests together, per second and at once. Single routes have no limit: all accounts
   * would share it, and one account may send its whole budget to one route (CONTRACT §16).
   */
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
  /** How many accounts the gateway's limits must let use their whole budget at the same moment. */
  readonly budgets: number;
  /** Whether workers keep executions of their own, which requests cannot use. */
  readonly reservesForWorkers: boolean;
}

export const stages: Readonly<Record<string, Stage>> = {
  dev: {
    keepsData: false,
    removalPolicy: RemovalPolicy.DESTROY,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { rate: 100, burst: 1000 },
    schemes: ['https:', 'http:', 'data:'],
    // The tokens of `npm run token` have the same values.
    defaults: { issuer: 'urn:invoicing:local', audience: 'invoicing' },
    trustsLocalIssuer: true,
    budgets: 1,
    reservesForWorkers: false,
  },
  prod: {
    keepsData: true,
    removalPolicy: RemovalPolicy.RETAIN,
    logRetention: RetentionDays.THREE_MONTHS,
    // Half of the rate that AWS lets all APIs of an AWS account and region have by default, and all of the burst.
    throttle: { rate: 5000, burst: 5000 },
    schemes: ['https:'],
    defaults: {},
    trustsLocalIssuer: false,
    budgets: 5,
    reservesForWorkers: true,
  },
};
