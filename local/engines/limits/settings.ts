/** The limits of DynamoDB that the embedded engines do not have. */
export interface Limits {
  /** Units a second that DynamoDB gives one partition: here, one value of the partition key of a table or an index. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Seconds of unused units that a partition keeps for a burst. */
  readonly burstSeconds: number;
  /** Factor of both rates, so that a small load shows what a large one does. */
  readonly scale: number;
  /** Milliseconds for which a transaction holds its items at least. */
  readonly holdMs: number;
  /** Milliseconds after which an index shows a row that was written. */
  readonly indexLagMs: number;
  /** Delay of each request in milliseconds: a log-normal distribution. */
  readonly delay: { readonly median: number; readonly p99: number };
  readonly seed: number;
  /** Rows in a page of a query or scan at most: at a scale of 1/50, about 50 small rows stand for a page of 1 MB. */
  readonly pageRows: number;
}

/**
 * "Every partition … is designed to deliver a maximum capacity of 3,000 read units per second and 1,000 write units per
 * second" (DynamoDB Developer Guide, bp-partition-key-design). Burst capacity does not exceed that, so one second's
 * units are the most that a partition grants at once.
 */
export const DYNAMODB_LIMITS: Limits = {
  readUnits: 3000,
  writeUnits: 1000,
  burstSeconds: 1,
  scale: 1,
  holdMs: 5,
  indexLagMs: 100,
  delay: { median: 4, p99: 20 },
  seed: 1,
  pageRows: Number.POSITIVE_INFINITY,
};

/** The read units that these limits give a partition in a second: exports use half of them. */
export const readUnitsOf = ({ readUnits = DYNAMODB_LIMITS.readUnits, scale = 1 }: Partial<Limits>): number =>
  Math.round(readUnits * scale);

/** `npm start -- --limits`: one person's requests meet the limits of a busy account. */
export const LOCAL_LIMITS: Partial<Limits> = { scale: 1 / 50, burstSeconds: 5 };
