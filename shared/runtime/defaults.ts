export interface LambdaLimits {
  readonly seconds: number;
  /** Also determines the CPU share: one CPU at 1,769 MB. */
  readonly memory_mb: number;
}

/**
 * The limits of every endpoint. 15 seconds are half of the gateway's timeout; the pipeline responds shortly before. The
 * memory is for the CPU of a cold start: at 128 MB a cold start would take many times as long. Otherwise less memory
 * would suffice. The limits are not yet measured on AWS.
 */
export const LAMBDA_DEFAULTS: LambdaLimits = { seconds: 15, memory_mb: 1024 };

/** The options with which Lambda starts Node (docs/aws-unknowns.md, code-cache). */
export const nodeOptions = (memory_mb: number): string[] => {
  const newSpace = Math.floor(memory_mb / 10);
  const heap = [`--max-semi-space-size=${Math.floor(newSpace / 2)}`, `--max-old-space-size=${memory_mb - newSpace}`];
  return ['--expose-gc', '--max-http-header-size=81920', ...heap];
};
