import { type ParseArgsConfig, parseArgs } from 'node:util';

/** An expected failure of a command for operators: printed as one line, without a stack. Its exit code is 2. */
export class OperationError extends Error {}

/** Runs a command, which returns its exit code. An unexpected error is printed with its stack. */
export const runOperation = async (command: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command();
  } catch (error) {
    console.error(error instanceof OperationError ? error.message : error);
    process.exitCode = 2;
  }
};

/** @throws OperationError with the usage, for arguments that the command does not have */
export const parseOptions = <const C extends ParseArgsConfig>(config: C, usage: string) => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new OperationError(`${(error as Error).message}\nExpected: ${usage}`);
  }
};
