import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogFields, Telemetry } from '#shared/platform/telemetry/telemetry.ts';

export interface Usage {
  /** Includes retries. */
  calls: number;
  /**
   * Capacity units that the responses report. A write with a failed condition consumes units, too, but its response does
   * not report them.
   */
  readUnits: number;
  writeUnits: number;
  /** Attempts that failed because of another transaction. */
  conflicts: number;
  throttles: number;
}

export interface Invocation {
  readonly started: number;
  readonly usage: Usage;
  /** The trace of the request, or of the message that is being processed. */
  trace: Trace | undefined;
}

const invocations = new AsyncLocalStorage<Invocation>();

/** Runs `work` as an invocation, which {@link currentInvocation} returns inside it. */
export const runInvocation = <T>(work: () => T, trace?: Trace): T => {
  const usage = { calls: 0, readUnits: 0, writeUnits: 0, conflicts: 0, throttles: 0 };
  return invocations.run({ started: performance.now(), usage, trace }, work);
};

/** Undefined during a Lambda's initialization. */
export const currentInvocation = (): Invocation | undefined => invocations.getStore();

/** The metrics of the alarms `table-throttles` and `transaction-conflicts`. */
export const countRefusals = ({ usage }: Invocation, { count }: Pick<Telemetry, 'count'>): void => {
  if (usage.conflicts > 0) count('TransactionConflicts', usage.conflicts);
  if (usage.throttles > 0) count('TableThrottles', usage.throttles);
};

export const usageFields = ({ started, usage, trace }: Invocation): LogFields => ({
  milliseconds: Math.round((performance.now() - started) * 10) / 10,
  dynamodb_calls: usage.calls,
  read_units: usage.readUnits,
  write_units: usage.writeUnits,
  conflicts: usage.conflicts || undefined,
  throttles: usage.throttles || undefined,
  trace_id: trace?.traceparent.split('-')[1],
});

/** A caller's trace (W3C Trace Context). The service passes it on unchanged, because it records no spans. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Printable ASCII, at most the length that participants must pass on (W3C Trace Context §3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** A malformed traceparent invalidates both headers (§3.2.2). */
export const parseTrace = (traceparent = '', tracestate = ''): Trace | undefined => {
  const [, version, id, parent, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return {
    // A later version is passed on as version 00 (§4.3).
    traceparent: `00-${id}-${parent}-${flags}`,
    ...(TRACESTATE.test(tracestate) && { tracestate }),
  };
};
