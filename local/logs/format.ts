import { relative } from 'node:path';
import { styleText } from 'node:util';
import { JWKS_PATH } from '#local/settings/settings.ts';
import type { CurrentRequest } from './current-request.ts';

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
}

/** A log record of a function (shared/platform/telemetry). */
export interface LogRecord {
  readonly level: string;
  readonly message: string;
  readonly error?: LoggedError;
  readonly [field: string]: unknown;
}

type Color = Parameters<typeof styleText>[0];

export type Style = (color: Color, text: string) => string;

/** The style of a stream: without colors if it is not a terminal, or if `NO_COLOR` is set. */
export const styleOf =
  (stream: NodeJS.WritableStream): Style =>
  (color, text) =>
    styleText(color, text, { stream });

/**
 * Hides the messages of queues, because their effects and failures have records of their own.
 * @returns undefined for a hidden record
 */
export const formatRecord = (
  record: LogRecord,
  request: CurrentRequest | undefined,
  style: Style,
): string | undefined => {
  if (record.message === 'message') return undefined;
  if (record.message === 'request') return formatRequest(record, request, style);
  return record.message === 'webhook attempt' ? formatAttempt(record, style) : formatOther(record, style);
};

/**
 * Shows only requests of clients, without the requests of the demo data and the functions' own requests for keys. RRU
 * and WRU are DynamoDB's read and write request units.
 */
const formatRequest = (
  { status, code, replayed, dry_run, milliseconds, account, read_units, write_units }: LogRecord,
  request: CurrentRequest | undefined,
  style: Style,
): string | undefined => {
  if (!request || request.target === JWKS_PATH) return undefined;
  const result = [status, code, replayed && 'replay', dry_run && 'dry run'];
  const units = [read_units && `${read_units} RRU`, write_units && `${write_units} WRU`];
  const rest = [`${milliseconds} ms`, account, ...units];
  return formatCall(request, { color: statusColor(Number(status)), result, rest }, style);
};

const formatAttempt = (
  { event_type, origin, status, code, attempt, milliseconds, account }: LogRecord,
  style: Style,
): string => {
  const rest = [`${milliseconds} ms`, account, Number(attempt) > 1 && `attempt ${attempt}`];
  const color = status === undefined ? 'red' : statusColor(Number(status));
  return formatCall(
    { method: 'WEBHOOK', target: `${event_type} → ${origin}` },
    { color, result: [status, code], rest },
    style,
  );
};

interface Outcome {
  readonly color: Color;
  readonly result: readonly unknown[];
  readonly rest: readonly unknown[];
}

/** Leaves out the empty parts of the outcome. */
const formatCall = ({ method, target }: CurrentRequest, { color, result, rest }: Outcome, style: Style): string =>
  [
    style('bold', method),
    target,
    style(color, result.filter(Boolean).join(' ')),
    style('dim', rest.filter(Boolean).join('  ')),
  ].join(' ');

export const statusColor = (status: number): Color => {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
};

const LEVEL_COLORS: Readonly<Record<string, Color>> = { ERROR: 'red', CRITICAL: 'red', WARN: 'yellow' };

/** The fields whose values the text contains, or that are the same in each record. */
const HIDDEN = ['level', 'message', 'error', 'timestamp', 'service'];

const formatOther = (record: LogRecord, style: Style): string => {
  const { level, message, error } = record;
  const color = LEVEL_COLORS[level];
  const fields = Object.entries(record).filter(([name]) => !HIDDEN.includes(name));
  const details = fields.map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  const head = color ? style(color, `${level} ${message}`) : message;
  const line = [head, style('dim', details.join(' '))].join(' ').trimEnd();
  return error ? `${line}\n${formatError(error)}` : line;
};

const isError = (cause: unknown): cause is LoggedError =>
  typeof cause === 'object' && cause !== null && 'message' in cause;

const formatError = ({ name, message, stack = '', cause }: LoggedError): string => {
  const own = readableStack(stack.includes(message) ? stack : `${name}: ${message}`);
  return isError(cause) ? `${own}\nCaused by ${formatError(cause)}` : own;
};

const FOREIGN_FRAME = /\n +at .*(node:|node_modules).*/g;
const FILE = /(file:\/\/)?(\/[^\s():]+)(?=:\d+:\d+)/g;

/** A stack without the frames of Node and of packages, and with relative paths. */
const readableStack = (stack: string): string =>
  stack.replaceAll(FOREIGN_FRAME, '').replaceAll(FILE, (_, __, path: string) => relative(process.cwd(), path));
