import { AsyncLocalStorage } from 'node:async_hooks';
import type { Fields } from './telemetry.ts';
import { type Trace, traceId } from './trace.ts';

/** What an invocation has asked of DynamoDB so far. */
export interface Usage {
  /** Each attempt counts. */
  calls: number;
  /** Capacity units that the answers report; a write that its condition refused costs some, too, but tells of none. */
  readUnits: number;
  writeUnits: number;
  /** Attempts that ended for another transaction's sake. */
  conflicts: number;
  /** Attempts that DynamoDB throttled. */
  throttles: number;
}

/** One call of a Lambda. */
export interface Invocation {
  /** On the clock of `performance`, in milliseconds. */
  readonly started: number;
  readonly usage: Usage;
  /** The caller's trace, for whatever the invocation calls in turn. */
  trace?: Trace | undefined;
}

const invocations = new AsyncLocalStorage<Invocation>();

/** Runs the work of one invocation, which {@link invocation} finds from anywhere within. */
export const runInvocation = <T>(work: () => T): T => {
  const usage = { calls: 0, readUnits: 0, writeUnits: 0, conflicts: 0, throttles: 0 };
  return invocations.run({ started: performance.now(), usage }, work);
};

/** The invocation that is going on; none in a Lambda's initialization. */
export const invocation = (): Invocation | undefined => invocations.getStore();

/** What the line of an invocation says of its effort: what it took so far, and what of it was for nothing. */
export const usageFields = ({ started, usage, trace }: Invocation): Fields => ({
  milliseconds: Math.round((performance.now() - started) * 10) / 10,
  dynamodb_calls: usage.calls,
  read_units: usage.readUnits,
  write_units: usage.writeUnits,
  conflicts: usage.conflicts || undefined,
  throttles: usage.throttles || undefined,
  trace_id: trace && traceId(trace),
});
