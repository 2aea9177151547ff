import { Worker } from 'node:worker_threads';
import { CliError } from '#local/cli/cli-error.ts';
import type { RunningEngine } from '#local/engines/dynamodb.ts';
import type { Keys } from '#local/engines/guards/signature.ts';

/** What the engine's thread is started with. */
export interface EngineData {
  /** Where queues and files are kept; in memory without it. */
  readonly directory: string | undefined;
  /** Who may sign requests to S3. */
  readonly keys: Keys;
}

/**
 * Starts the embedded SQS and S3, at one free port of the loopback, in a thread that ends with this process.
 * @throws Failure when they do not run
 */
export const startFauxqs = async (data: EngineData): Promise<RunningEngine> => {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    // Not those of this process: they may be for its entry point alone.
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const endpoint = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new CliError(`The embedded SQS and S3 do not run: ${why}`));
    thread.once('message', resolve);
    thread.once('error', ({ message }) => fail(message));
    thread.once('exit', (code) => fail(`they ended with ${code}`));
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
