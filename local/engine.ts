import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An engine that runs beside this process, and ends with it. */
export interface RunningEngine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const READY_MS = 5000;
const POLL_MS = 5;

const MISSING =
  'No embedded DynamoDB for this system: set DYNOXIDE_BIN to a dynoxide binary, or AWS_ENDPOINT_URL_DYNAMODB to an engine.';

/** @throws Error when this system has no embedded engine */
const binary = (): string => {
  if (process.env['DYNOXIDE_BIN']) return process.env['DYNOXIDE_BIN'];
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    throw new Error(MISSING);
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
 * parent killed with -9 leaves no engine behind.
 */
const WATCHDOG = '"$@" & engine=$!; exec 3<&0; { cat <&3 >/dev/null; kill $engine; } 2>/dev/null & wait $engine';

/**
 * Starts the embedded DynamoDB on a free port of the loopback.
 * @param file the database file; in memory without it
 */
export const startDynamo = async (file?: string): Promise<RunningEngine> => {
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port), ...(file ? ['--db-path', file] : [])];
  const child = spawn('sh', ['-c', WATCHDOG, 'sh', binary(), ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await answering(endpoint, child);
  return { endpoint, stop: () => stop(child) };
};

const answering = async (endpoint: string, child: ChildProcess): Promise<void> => {
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`The embedded DynamoDB ended with ${child.exitCode}.`);
    const answered = await fetch(endpoint).catch(() => undefined);
    if (answered) return;
  }
  await stop(child);
  throw new Error(`The embedded DynamoDB did not answer within ${READY_MS} ms.`);
};

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.stdin?.end();
  });
