import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArguments } from '#local/cli/arguments.ts';
import { CliError } from '#local/cli/cli-error.ts';

/** An expected failure of a command for operators: printed as one line, without a stack. Its exit code is 2. */
export class OperationError extends CliError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, 2, options);
  }
}

/** Runs a command, which returns its exit code. An unexpected error is printed with its stack. */
export const runOperation = async (command: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command();
  } catch (error) {
    console.error(error instanceof CliError ? error.message : error);
    process.exitCode = 2;
  }
};

/**
 * Reads the arguments of the command: options, and up to the permitted number of other arguments.
 * @throws CliError with the usage, for arguments that the command does not have
 */
export const parseOptions = <const O extends ParseArgsOptionsConfig>(
  { options, most = 0 }: { readonly options: O; readonly most?: number },
  usage: string,
) => parseArguments(process.argv.slice(2), { options, most }, usage);
