import { Worker } from 'node:worker_threads';
import { CliError } from '#local/cli/cli-error.ts';
import type { RunningEngine } from '#local/engines/engine.ts';

export interface EngineData {
  /** Without a directory, the data is in memory. */
  readonly directory: string | undefined;
  /** Verifies presigned URLs. */
  readonly secretAccessKey: string;
}

/** Starts the embedded SQS and S3 at one free port of the loopback, in a thread that ends with this process. */
export const startFauxqs = async (data: EngineData): Promise<RunningEngine> => {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    // The flags of this process may be for its entry point only.
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const endpoint = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new CliError(`The embedded SQS and S3 did not start: ${why}`));
    thread.once('message', resolve);
    thread.once('error', ({ message }) => fail(message));
    thread.once('exit', (code) => fail(`they exited with ${code}`));
  });
  thread.on('error', (error) => console.error(error));
  return {
    endpoint,
    ended,
    stop: () => {
      thread.postMessage('stop');
      return ended;
    },
  };
};
