import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { CliError } from '#local/cli/cli-error.ts';
import { freeAddress } from '#local/cli/free-address.ts';
import { type RunningEngine, startEngine } from './engine.ts';

const READY_MS = 30_000;

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
