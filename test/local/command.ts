import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A command of this repository, run in a process of its own. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly out: { readonly stdout: string; readonly stderr: string };
  /** Waits until it has printed a text, so many milliseconds at most. */
  printed(text: string | RegExp, stream?: 'stdout' | 'stderr', patience?: number): Promise<void>;
  /** Waits for its end, and tells its exit code or the signal that ended it. */
  end(): Promise<number | string>;
}

const PATIENCE_MS = 25_000;
const POLL_MS = 20;

/** What would send a command to another engine or issuer than the test's. */
const CLEAN = {
  AWS_ENDPOINT_URL_DYNAMODB: '',
  AWS_ENDPOINT_URL_SQS: '',
  AWS_ENDPOINT_URL_S3: '',
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
  ISSUER: '',
  AUDIENCE: '',
  JWKS_URL: '',
  DYNOXIDE_BIN: '',
  EXPORTS_QUEUE_URL: '',
  EXPORTS_BUCKET: '',
};

/** Runs `node <args>` in a directory. */
export const run = (
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Running => {
  const env = { ...process.env, ...CLEAN, ...environment };
  const child = spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      out[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const printed: Running['printed'] = async (text, stream = 'stdout', patience = PATIENCE_MS) => {
    const until = Date.now() + patience;
    const has = () => (typeof text === 'string' ? out[stream].includes(text) : text.test(out[stream]));
    while (!has()) {
      const isOver = child.exitCode !== null || Date.now() > until;
      if (isOver) throw new Error(`${args.join(' ')} did not print ${text}: ${JSON.stringify(out)}`);
      await sleep(POLL_MS);
    }
  };
  return { pid: child.pid as number, child, out, printed, end: () => ended };
};

/** Runs `node <args>` to its end, which it is brought to when it does not come. */
export const outcome = async (...[directory, args, environment]: Parameters<typeof run>) => {
  const command = run(directory, args, environment);
  const patience = setTimeout(() => command.child.kill('SIGKILL'), PATIENCE_MS);
  const code = await command.end();
  clearTimeout(patience);
  return { code, ...command.out };
};

/** A port of the loopback that nobody listens at. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};
