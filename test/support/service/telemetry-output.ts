import { afterAll, beforeAll } from '@jest/globals';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any line
export type Line = Record<string, any>;

/** The log lines and metrics that handlers wrote. */
export interface CapturedOutput<T> {
  readonly result: T;
  readonly text: string;
  /** The log lines, without the lines of metrics. */
  readonly lines: readonly Line[];
  /** Each metric with its value and dimensions. */
  readonly metrics: readonly { name: string; value: number; by: Line; namespace: string }[];
}

const ORIGINAL_ENVIRONMENT = { ...process.env };
const STREAMS = [process.stdout, process.stderr];
let text = '';

/**
 * Makes handlers that are created after this call log and count as when deployed, and redirects their output from the
 * terminal to `captureOutput`. Returns a function that restores the previous state.
 */
export const enableTelemetry = (): (() => void) => {
  Object.assign(process.env, {
    POWERTOOLS_METRICS_NAMESPACE: 'invoicing-test',
    POWERTOOLS_LOG_LEVEL: 'INFO',
    POWERTOOLS_METRICS_DISABLED: 'false',
  });
  const originals = STREAMS.map((stream) => stream.write);
  for (const [i, stream] of STREAMS.entries()) {
    stream.write = ((chunk: string, ...rest: never[]) => {
      if (!chunk.startsWith('{')) return (originals[i] as typeof stream.write).call(stream, chunk, ...rest);
      text += chunk;
      return true;
    }) as typeof stream.write;
  }
  return () => {
    Object.assign(process.env, ORIGINAL_ENVIRONMENT);
    for (const [i, stream] of STREAMS.entries()) stream.write = originals[i] as typeof stream.write;
  };
};

/** Enables telemetry for a test file. Its handlers must be created in a later `beforeAll`. */
export const enableTelemetryOfFile = (): void => {
  let restore: () => void;
  beforeAll(() => {
    restore = enableTelemetry();
  });
  afterAll(() => restore());
};

const metricsOf = (line: Line): CapturedOutput<unknown>['metrics'] =>
  line['_aws'].CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }: Line) =>
    Metrics.map(({ Name }: Line) => ({
      name: Name,
      value: line[Name],
      by: Object.fromEntries(Dimensions.flat().map((dimension: string) => [dimension, line[dimension]])),
      namespace: Namespace,
    })),
  );

/** Runs some work, and returns its result and the output of the handlers. `enableTelemetry` must be called before. */
export const captureOutput = async <T>(work: () => Promise<T>): Promise<CapturedOutput<T>> => {
  text = '';
  const result = await work();
  const all = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const lines = all.filter((line) => !('_aws' in line));
  return { result, text, lines, metrics: all.filter((line) => '_aws' in line).flatMap(metricsOf) };
};
