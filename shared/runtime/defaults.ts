export interface LambdaLimits {
  readonly seconds: number;
  /** Also determines the CPU share: one CPU at 1,769 MB. */
  readonly memory_mb: number;
}

/**
 * The limits of every endpoint. 15 seconds are half of the gateway's timeout; the pipeline responds shortly before.
 * A cold start needs CPU: at 128 MB it would take many times as long. Less memory would suffice otherwise. Not yet
 * measured on AWS.
 */
export const LAMBDA_DEFAULTS: LambdaLimits = { seconds: 15, memory_mb: 1024 };
