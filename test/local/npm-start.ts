import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs `npm start` as in a terminal, where Ctrl-C signals every process of the group. Kills the group at the end.
 * @param use gets the process of npm, and the exit code or the signal that ends it
 */
export const npmStart = async <T>(
  directory: string,
  environment: Readonly<Record<string, string>>,
  use: (npm: ChildProcess, end: Promise<unknown>) => Promise<T>,
): Promise<T> => {
  const options = { cwd: directory, env: { ...process.env, ...environment }, detached: true } as const;
  const npm = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  const end = once(npm, 'close').then(([code, signal]) => code ?? signal);
  try {
    return await use(npm, end);
  } finally {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-(npm.pid as number), 'SIGKILL');
  }
};
