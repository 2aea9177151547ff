import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '#local/cli/cli-error.ts';

export interface RunningEngine {
  readonly endpoint: string;
  /** Resolves when the engine has ended, also without `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const READY_MS = 5000;
const POLL_MS = 5;
const MAX_OUTPUT = 1000;

const ALTERNATIVES =
  'set DYNOXIDE_BIN to a dynoxide binary, or AWS_ENDPOINT_URL_DYNAMODB to the URL of a DynamoDB (see README.md, Start)';

export const dynamoProgram = (): string => {
  const chosen = process.env['DYNOXIDE_BIN'];
  try {
    const path =
      chosen || createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    const missing = chosen
      ? `DYNOXIDE_BIN=${chosen} is not an executable file`
      : `No embedded DynamoDB is installed for ${process.platform}-${process.arch}`;
    throw new CliError(`${missing}: ${ALTERNATIVES}.`);
  }
};

/** A free port of an address; undefined if this machine does not have the address. */
const freePort = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') resolve(undefined);
      else reject(error);
    });
    server.listen(0, host, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * The engine answers any web page that finds it. So it listens at a random one of 2^24 loopback addresses, too many to
 * try. Where the loopback has only one address (macOS), only the port is random.
 */
const freeAddress = async (): Promise<{ host: string; port: number }> => {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await freePort(host);
  if (port !== undefined) return { host, port };
  return { host: '127.0.0.1', port: (await freePort('127.0.0.1')) as number };
};

/**
 * Runs "$@" until it ends or until standard input closes, which happens when the parent has ended, even with kill -9.
 * SIGTERM makes the engine wait for clients in the middle of a request. What it has acknowledged is on disk, so SIGKILL
 * follows after a second.
 */
const WATCHDOG = `
umask 077
"$@" & engine=$!
exec 3<&0
{ cat <&3 >/dev/null; kill $engine; sleep 1; kill -9 $engine; } 2>/dev/null &
wait $engine`;

/**
 * Starts the embedded DynamoDB on the loopback, without the guard (local/engines/guards/dynamodb.ts).
 * @param file the database file; in memory without it
 */
export const startDynamo = async (file?: string): Promise<RunningEngine> => {
  const program = dynamoProgram();
  const { host, port } = await freeAddress();
  const options = ['--host', host, '--port', String(port), ...(file ? ['--db-path', file] : [])];
  // In its own process group: otherwise Ctrl-C would stop the engine while requests still need it.
  const child = spawn('sh', ['-c', WATCHDOG, 'sh', program, ...options], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  const engine = { endpoint: `http://${host}:${port}`, ended, stop };
  await waitUntilReady(engine, child);
  return engine;
};

const waitUntilReady = async ({ endpoint, ended, stop }: RunningEngine, child: ChildProcess): Promise<void> => {
  let output = '';
  child.stderr?.on('data', (text) => {
    output = (output + text).slice(-MAX_OUTPUT);
  });
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(POLL_MS)) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (child.exitCode !== null) {
      await ended;
      throw new CliError(`The embedded DynamoDB did not start: ${output.trim() || `it exited with ${child.exitCode}`}`);
    }
    if (response) return;
  }
  await stop();
  throw new CliError(`The embedded DynamoDB did not respond within ${READY_MS} ms.`);
};
