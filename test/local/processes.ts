import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Every running process, without zombies. */
const runningProcesses = async (): Promise<Row[]> => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
};

/** The engines among a process's descendants. */
export const enginesOf = async (pid: number): Promise<number[]> => {
  const rows = await runningProcesses();
  const below = (parent: number): Row[] =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.pid)]);
  return below(pid).flatMap((row) => (/^\S*(dynoxide|java) /.test(row.command) ? [row.pid] : []));
};

/** The processes among these that still run. */
export const survivors = async (pids: readonly number[]): Promise<number[]> =>
  (await runningProcesses()).flatMap(({ pid }) => (pids.includes(pid) ? [pid] : []));

/** The engines whose data is in this file, whichever process started them. */
export const enginesOn = async (file: string): Promise<number[]> =>
  (await runningProcesses()).flatMap(({ pid, command }) => (command.includes(file) ? [pid] : []));
