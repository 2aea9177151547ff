import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url));

/** The event and the environment variables of the measured Lambdas. */
export interface LambdaCall {
  readonly event: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A process that runs one Lambda. */
export interface Subject {
  /** Microseconds of CPU time, user and system, from the start of the process to its first response. */
  readonly first: number;
  /** Makes this many calls in sequence, and returns their CPU time in microseconds. */
  run(calls: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * @param options of Node
 * @throws Error when the process ends, for example after a status other than 200
 */
export const startSubject = async (
  bundle: string,
  { event, environment }: LambdaCall,
  options: readonly string[] = [],
): Promise<Subject> => {
  // Its output is ignored, but not disabled: it is a part of its work.
  const child = spawn(process.execPath, [...options, CHILD, bundle, event], {
    env: environment,
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
  });
  const input = child.stdin as Writable;
  const lines = createInterface(child.stdio[3] as Readable)[Symbol.asyncIterator]();
  const next = async (): Promise<number> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`The process of ${bundle} ended.`);
    return Number(value);
  };
  const first = await next();
  return {
    first,
    run: (calls) => {
      input.write(`${calls}\n`);
      return next();
    },
    stop: () => stop(child),
  };
};

const stop = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
};
