/** The limits of DynamoDB that the embedded engines do not have. */
export interface Limits {
  /** Units a second that DynamoDB gives one partition: here, one value of the partition key of a table or an index. */
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Factor of both rates, so that a small load shows what a large one does. */
  readonly scale: number;
  /** Milliseconds for which a transaction holds its items at least. */
  readonly holdMs: number;
  /** Delay of each request. */
  readonly delayMs: number;
  /** Rows in a page of a query at most: at a scale of 1/50, about 50 small rows stand for a page of 1 MB. */
  readonly pageRows: number;
}

/**
 * "Every partition … is designed to deliver a maximum capacity of 3,000 read units per second and 1,000 write units per
 * second" (DynamoDB Developer Guide, bp-partition-key-design).
 */
export const DYNAMODB_LIMITS: Limits = {
  readUnits: 3000,
  writeUnits: 1000,
  scale: 1,
  holdMs: 5,
  delayMs: 4,
  pageRows: Number.POSITIVE_INFINITY,
};

export const NO_LIMITS: Limits = {
  ...DYNAMODB_LIMITS,
  readUnits: Number.MAX_SAFE_INTEGER,
  writeUnits: Number.MAX_SAFE_INTEGER,
  holdMs: 0,
  delayMs: 0,
};
