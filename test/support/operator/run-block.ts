import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** A program that a block runs. */
export type Call = readonly [program: string, ...args: string[]];

/** Returns what a program prints; an error is a failure of the program, and its message is printed. */
export type Answer = (call: Call) => string | Promise<string>;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const STUB = fileURLToPath(new URL('send-command.sh', import.meta.url));

/** The programs that a test replaces. Other programs are those of the machine. */
const PROGRAMS = ['bin/aws', 'bin/npm', 'bin/npx', 'bin/node', 'bin/curl', '.ci/rollback'];

/** The AWS CLI's exit code when a service refuses a call. */
const REFUSED = 254;

/** A number, then as many arguments after the name of the program, each with a NUL at its end. */
const readCall = async (socket: Socket): Promise<Call> => {
  let received = '';
  for await (const chunk of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    received += chunk;
    const [count = '', ...words] = received.split('\0').slice(0, -1);
    if (count !== '' && words.length > Number(count)) return words as unknown as Call;
  }
  throw new Error('A command ended early.');
};

/** Runs an action while the programs on its PATH are answered. */
export const withPrograms = async <T>(
  answer: Answer,
  action: (programs: { readonly directory: string; readonly environment: NodeJS.ProcessEnv }) => Promise<T>,
): Promise<T> => {
  const respond = async (socket: Socket) => {
    const reply = await readCall(socket)
      .then(answer)
      .then(
        (printed) => `0\n${printed}`,
        ({ message }: Error) => `${REFUSED}\n${message}\n`,
      );
    socket.end(reply);
  };
  const server = createServer((socket) => void respond(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const directory = await mkdtemp(join(tmpdir(), 'operator-'));
  try {
    for (const program of PROGRAMS) {
      await mkdir(join(directory, dirname(program)), { recursive: true });
      await symlink(STUB, join(directory, program));
    }
    const PATH = `${join(directory, 'bin')}:${process.env['PATH']}`;
    const COMMANDS_PORT = String((server.address() as AddressInfo).port);
    return await action({ directory, environment: { ...process.env, PATH, COMMANDS_PORT } });
  } finally {
    server.close();
    await rm(directory, { recursive: true });
  }
};

export const end = async (
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Ended> => {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
};

/** Runs the commands of a block in bash. */
export const runCommands = (commands: string, answer: Answer): Promise<Ended> =>
  withPrograms(answer, ({ directory, environment }) => end('bash', ['-c', commands], directory, environment));
