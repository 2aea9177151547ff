import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Readable } from 'node:stream';

/** A command of this repository in a process of its own. */
export interface RunningCommand {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The output so far. */
  readonly out: { readonly stdout: string; readonly stderr: string };
  /**
   * Waits until the command has printed a text.
   * @throws Error when it ends without it
   */
  untilPrinted(text: string | RegExp, stream?: 'stdout' | 'stderr'): Promise<void>;
  /** Waits for the end of the command; returns its exit code or the signal that ended it. */
  end(): Promise<number | string>;
}

/** No command of a test that fails runs longer. Tests have deadlines of their own. */
const LIFETIME_MS = 3_600_000;

/** Variables that would make a command use other engines or another issuer. */
const CLEARED = {
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
  DELIVERIES_QUEUE_URL: '',
  EXPORTS_BUCKET: '',
};

/** Runs `node <args>`, or another program, in a directory. Its standard input is empty, or a pipe that stays open. */
export const run = (
  directory: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
  program: string = process.execPath,
  input: 'ignore' | 'pipe' = 'ignore',
): RunningCommand => {
  const env = { ...process.env, ...CLEARED, ...environment };
  const child = spawn(program, args, {
    cwd: directory,
    env,
    stdio: [input, 'pipe', 'pipe'],
    timeout: LIFETIME_MS,
    killSignal: 'SIGKILL',
  });
  const out = { stdout: '', stderr: '' };
  const streams = { stdout: child.stdout as Readable, stderr: child.stderr as Readable };
  for (const stream of ['stdout', 'stderr'] as const) {
    streams[stream].setEncoding('utf8').on('data', (text: string) => {
      out[stream] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const untilPrinted: RunningCommand['untilPrinted'] = async (text, stream = 'stdout') => {
    const has = () => (typeof text === 'string' ? out[stream].includes(text) : text.test(out[stream]));
    let hasEnded = false;
    const end = ended.then(() => {
      hasEnded = true;
    });
    while (!has()) {
      if (hasEnded) throw new Error(`${args.join(' ')} did not print ${text}: ${JSON.stringify(out)}`);
      await Promise.race([once(streams[stream], 'data'), end]);
    }
  };
  return { pid: child.pid as number, child, out, untilPrinted, end: () => ended };
};

/** Runs `node <args>` on a terminal, whose output is on standard output. */
export const runOnTerminal = (directory: string, args: readonly string[], environment: Record<string, string>) => {
  const command = ['exec', process.execPath, ...args].join(' ');
  // With `CI`, Node prints no colors.
  const colors = {
    TERM: 'xterm',
    CI: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    NODE_DISABLE_COLORS: undefined,
  };
  return run(directory, ['-qefc', command, '/dev/null'], { ...colors, ...environment }, 'script');
};

/** Runs `node <args>` to its end. */
export const runToEnd = async (...[directory, args, environment]: Parameters<typeof run>) => {
  const command = run(directory, args, environment);
  return { code: await command.end(), ...command.out };
};

/** Below the ports that the system gives to servers and connections by itself (Linux: from 32,768 on). */
let lastPort = 20_000 + ((process.pid * 97) % 12_000);

/** A port of the loopback that is not in use, and that no program gets without asking for it. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    lastPort += 1;
    const server = createServer();
    try {
      await once(server.listen(lastPort, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return lastPort;
  }
};
