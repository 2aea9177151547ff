// biome-ignore lint/suspicious/noExplicitAny: a test reads any line
export type Line = Record<string, any>;

/** What was printed while something ran. */
export interface Printed<T> {
  readonly result: T;
  readonly text: string;
  /** The lines of the log. */
  readonly lines: readonly Line[];
  /** What was counted: each metric with its value, and the dimensions that it has. */
  readonly metrics: readonly { name: string; value: number; by: Line; namespace: string }[];
}

const QUIET = { ...process.env };
const STREAMS = [process.stdout, process.stderr];
let text = '';

/**
 * Has handlers that are made from now on print what they print when they are deployed, and keeps that off the terminal.
 * @returns what ends it
 */
export const speakUp = (): (() => void) => {
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
    Object.assign(process.env, QUIET);
    for (const [i, stream] of STREAMS.entries()) stream.write = originals[i] as typeof stream.write;
  };
};

const metricsOf = (line: Line): Printed<unknown>['metrics'] =>
  line['_aws'].CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }: Line) =>
    Metrics.map(({ Name }: Line) => ({
      name: Name,
      value: line[Name],
      by: Object.fromEntries(Dimensions.flat().map((dimension: string) => [dimension, line[dimension]])),
      namespace: Namespace,
    })),
  );

/** Runs some work, and tells what handlers that speak up have printed meanwhile. */
export const printed = async <T>(work: () => Promise<T>): Promise<Printed<T>> => {
  text = '';
  const result = await work();
  const all = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const lines = all.filter((line) => !('_aws' in line));
  return { result, text, lines, metrics: all.filter((line) => '_aws' in line).flatMap(metricsOf) };
};
