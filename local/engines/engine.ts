import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '#local/cli/cli-error.ts';

export interface RunningEngine {
  readonly endpoint: string;
  /** Resolves when the engine has ended, also without `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface DynamoEngine extends RunningEngine {
  /** Only DynamoDB Local needs an access key: it stores the data of each key apart. */
  readonly accessKeyId?: string;
}

/** A program that serves HTTP at an address. */
interface EngineProgram {
  /** The name of the engine in error messages. */
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly endpoint: string;
  readonly readyMs: number;
}

const POLL_MS = 5;
const MAX_OUTPUT = 1000;

/**
 * Runs "$@" until it ends or until standard input closes, which happens when the parent has ended, even with kill -9.
 * SIGTERM makes the engine wait for clients in the middle of a request. Acknowledged writes are on disk, so SIGKILL
 * follows after a second.
 */
const WATCHDOG = `
umask 077
"$@" & engine=$!
exec 3<&0
{ cat <&3 >/dev/null; kill $engine; sleep 1; kill -9 $engine; } 2>/dev/null &
wait $engine`;

/** Windows has no sh: there, an engine outlives a server that was killed. */
const HAS_SHELL = process.platform !== 'win32';

const spawnWatched = ([program, ...args]: EngineProgram['command']): ChildProcess =>
  HAS_SHELL
    ? // In its own process group: otherwise Ctrl-C would stop the engine while requests still need it.
      spawn('sh', ['-c', WATCHDOG, 'sh', program, ...args], { stdio: ['pipe', 'ignore', 'pipe'], detached: true })
    : spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], windowsHide: true });

/** Starts an engine, and waits until it responds. */
export const startEngine = async ({ name, command, endpoint, readyMs }: EngineProgram): Promise<RunningEngine> => {
  const child = spawnWatched(command);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = () => {
    child.stdin?.end();
    if (!HAS_SHELL) child.kill();
    return ended;
  };
  let output = '';
  child.stderr?.on('data', (text) => {
    output = (output + text).slice(-MAX_OUTPUT);
  });
  for (const until = Date.now() + readyMs; Date.now() < until; await sleep(POLL_MS)) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (child.exitCode !== null) {
      await ended;
      throw new CliError(`${name} did not start: ${output.trim() || `it exited with ${child.exitCode}`}`);
    }
    if (response) return { endpoint, ended, stop };
  }
  await stop();
  throw new CliError(`${name} did not respond within ${readyMs} ms.`);
};
