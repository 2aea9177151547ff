import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';

/** An engine that runs beside this process, and ends with it. */
export interface RunningEngine {
  readonly endpoint: string;
  /** Fulfilled when the engine has ended, asked or not. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const READY_MS = 5000;
const POLL_MS = 5;
const MOST_SAID = 1000;

const OTHERWISE = 'set DYNOXIDE_BIN to a dynoxide binary, or AWS_ENDPOINT_URL_DYNAMODB to an engine';

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
    throw new Failure(`${missing}: ${OTHERWISE}.`);
  }
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/**
 * Runs "$@" until it ends or until standard input does, which is when the parent has gone, however it went: even a
 * parent killed with -9 leaves no engine behind. Asked to end, the engine waits for a client that is halfway through
 * a request; what it has acknowledged is on the disk, so that after a while it is not asked again.
 */
const WATCHDOG = `
"$@" & engine=$!
exec 3<&0
{ cat <&3 >/dev/null; kill $engine; sleep 1; kill -9 $engine; } 2>/dev/null &
wait $engine`;

/**
 * Starts the embedded DynamoDB on a free port of the loopback.
 * @param file the database file; in memory without it
 * @throws Failure when there is none for this system, or it does not run
 */
export const startDynamo = async (file?: string): Promise<RunningEngine> => {
  const program = dynamoProgram();
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port), ...(file ? ['--db-path', file] : [])];
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
  const engine = { endpoint: `http://127.0.0.1:${port}`, ended, stop };
  await answering(engine, child);
  return engine;
};

const answering = async ({ endpoint, ended, stop }: RunningEngine, child: ChildProcess): Promise<void> => {
  let said = '';
  child.stderr?.on('data', (text) => {
    said = (said + text).slice(-MOST_SAID);
  });
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(POLL_MS)) {
    const answered = await fetch(endpoint).catch(() => undefined);
    if (child.exitCode !== null) {
      await ended;
      throw new Failure(`The embedded DynamoDB does not run: ${said.trim() || `it ended with ${child.exitCode}`}`);
    }
    if (answered) return;
  }
  await stop();
  throw new Failure(`The embedded DynamoDB did not answer within ${READY_MS} ms.`);
};
