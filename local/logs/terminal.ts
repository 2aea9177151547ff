import type { WriteStream } from 'node:tty';
import { currentRequest } from './current-request.ts';
import { formatRecord, type LogRecord, styleOf } from './format.ts';

/**
 * On a terminal, prints the functions' log records as text, and by default a line for each request. Elsewhere they
 * remain JSON, by default only warnings and errors.
 */
export const showLogs = (environment: NodeJS.ProcessEnv): void => {
  if (process.stdout.isTTY) environment['POWERTOOLS_LOG_LEVEL'] ||= 'INFO';
  for (const stream of [process.stdout, process.stderr]) if (stream.isTTY) formatLogs(stream);
};

/**
 * The functions write to the streams of the process, as in Lambda, so this replaces `write`.
 */
export const formatLogs = (stream: Pick<WriteStream, 'write'> & NodeJS.WritableStream): void => {
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
  const style = styleOf(stream);
  stream.write = (chunk: unknown, ...rest: readonly unknown[]): boolean => {
    if (typeof chunk !== 'string') return write(chunk, ...rest);
    const record = parseRecord(chunk);
    if (!record) return write(chunk, ...rest);
    const text = formatRecord(record, currentRequest.getStore(), style);
    return text === undefined || write(`${text}\n`, ...rest);
  };
};

/** The functions write a record at once, in one line, with its level first. */
const parseRecord = (chunk: string): LogRecord | undefined => {
  if (!chunk.startsWith('{"level":')) return undefined;
  try {
    return JSON.parse(chunk);
  } catch {
    return undefined;
  }
};
