import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** What sets one stage apart from another in what is deployed. */
export interface Preset {
  /** Whether data outlives mistakes: it has backups, and a table is not deleted before that is switched off. */
  readonly keepsData: boolean;
  /** What becomes of tables and logs when the stack goes. */
  readonly removalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  /** What the gateway lets through, in requests a second and at once. */
  readonly throttle: { readonly rate: number; readonly burst: number };
}

/** A stage: its preset, and what its context may and must say. */
export interface Stage extends Preset {
  /** Where the issuer's keys may come from: https, so that nobody else answers; in dev even the address itself. */
  readonly schemes: readonly string[];
  /** Whose tokens a stage accepts that is told of no issuer: those of this machine's own, or nobody's. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly trustsLocalIssuer: boolean;
}

/** The stages. */
export const stages: Readonly<Record<string, Stage>> = {
  dev: {
    keepsData: false,
    removalPolicy: RemovalPolicy.DESTROY,
    logRetention: RetentionDays.ONE_WEEK,
    throttle: { rate: 50, burst: 100 },
    schemes: ['https:', 'http:', 'data:'],
    // As `npm run token` writes them.
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
