/** What a Lambda function may take. */
export interface Limits {
  readonly seconds: number;
  /** Lambda gives CPU by memory, too: a whole one at 1,769 MB. */
  readonly memory_mb: number;
}

/**
 * Those of every endpoint. 15 seconds are half of what the gateway waits; the pipeline answers shortly before they end.
 * A request mostly waits for DynamoDB, but a cold start computes: at 128 MB it would take many times as long. Memory
 * itself is never short. Not yet measured on AWS.
 */
export const LAMBDA_DEFAULTS: Limits = { seconds: 15, memory_mb: 1024 };
