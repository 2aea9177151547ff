import { randomInt } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { CliError } from '#local/cli/cli-error.ts';
import { freePort, type RunningEngine, startEngine } from './engine.ts';

const READY_MS = 5000;

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const installedProgram = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  } catch {
    return undefined;
  }
};

/** The binary that `DYNOXIDE_BIN` names, or that npm has installed for this system, if there is one. */
export const findDynoxide = (): string | undefined => {
  const chosen = process.env['DYNOXIDE_BIN'];
  if (chosen && !isExecutable(chosen)) throw new CliError(`DYNOXIDE_BIN=${chosen} is not an executable file.`);
  return chosen || installedProgram();
};

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

const MAX_STARTS = 3;

/**
 * Another process can take the port between its choice and the start of the engine, which then needs another port.
 * @param file the database file; in memory without it
 */
export const startDynoxide = async (program: string, file?: string): Promise<RunningEngine> => {
  for (let start = 1; ; start++) {
    try {
      return await startAt(await freeAddress(), program, file);
    } catch (error) {
      if (start === MAX_STARTS || !/in use/i.test((error as Error).message)) throw error;
    }
  }
};

const startAt = (
  { host, port }: { readonly host: string; readonly port: number },
  program: string,
  file: string | undefined,
): Promise<RunningEngine> =>
  startEngine({
    name: 'The embedded DynamoDB',
    command: [program, '--host', host, '--port', String(port), ...(file ? ['--db-path', file] : [])],
    endpoint: `http://${host}:${port}`,
    readyMs: READY_MS,
  });
