import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '#local/cli/cli-error.ts';

/** An engine that runs beside this process, and ends with it. */
export interface RunningEngine {
  readonly endpoint: string;
  /** Fulfilled when the engine has ended, asked or not. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const READY_MS = 5000;
const POLL_MS = 5;
const MAX_OUTPUT = 1000;

const ALTERNATIVES = 'set DYNOXIDE_BIN to a dynoxide binary, or AWS_ENDPOINT_URL_DYNAMODB to an engine';

/**
 * The path of the embedded engine's program.
 * @throws Failure when this system has none
 */
export const dynamoProgram = (): string => {
  const chosen = process.env['DYNOXIDE_BIN'];
  try {
    const path =
      chosen || createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    const missing = chosen ? `DYNOXIDE_BIN=${chosen} is no program` : 'There is no embedded DynamoDB for this system';
    throw new CliError(`${missing}: ${ALTERNATIVES}.`);
  }
};

/** A free port of an address; nothing where the system does not have the address. */
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
 * Where the engine listens. It answers any web page that finds it, so that its address is one of 2^24 of the loopback,
 * too many to try; on systems whose loopback has only one address (macOS), only the port is random.
 */
const freeAddress = async (): Promise<{ host: string; port: number }> => {
  const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const port = await freePort(host);
  if (port !== undefined) return { host, port };
  return { host: '127.0.0.1', port: (await freePort('127.0.0.1')) as number };
};

/**
 * Runs "$@" until it ends or until standard input does, which is when the parent has gone, however it went: even a
 * parent killed with -9 leaves no engine behind. Asked to end, the engine waits for a client that is halfway through
 * a request; what it has acknowledged is on the disk, so that after a while it is not asked again.
 */
const WATCHDOG = `
umask 077
"$@" & engine=$!
exec 3<&0
{ cat <&3 >/dev/null; kill $engine; sleep 1; kill -9 $engine; } 2>/dev/null &
wait $engine`;

/**
 * Starts the embedded DynamoDB on the loopback, with nothing in front of it (local/engines/guards/dynamodb.ts).
 * @param file the database file; in memory without it
 * @throws Failure when there is none for this system, or it does not run
 */
export const startDynamo = async (file?: string): Promise<RunningEngine> => {
  const program = dynamoProgram();
  const { host, port } = await freeAddress();
  const options = ['--host', host, '--port', String(port), ...(file ? ['--db-path', file] : [])];
  // A group of its own, or Ctrl-C would end the engine before the requests that need it.
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
  let said = '';
  child.stderr?.on('data', (text) => {
    said = (said + text).slice(-MAX_OUTPUT);
  });
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(POLL_MS)) {
    const answered = await fetch(endpoint).catch(() => undefined);
    if (child.exitCode !== null) {
      await ended;
      throw new CliError(`The embedded DynamoDB does not run: ${said.trim() || `it ended with ${child.exitCode}`}`);
    }
    if (answered) return;
  }
  await stop();
  throw new CliError(`The embedded DynamoDB did not answer within ${READY_MS} ms.`);
};
